import { usageError } from '../../errors.ts';
import { goDurationFault, goSyntaxFault, parseGoBool, parseGoFloat } from '../../kube/go-syntax.ts';
import type { SettingDefinition, SettingType, SettingValue } from './setting-definition.ts';

/** A value, or upstream's words for why it is none. */
type ReadValue =
  | { readonly value: SettingValue; readonly fault?: undefined }
  | { readonly value?: undefined; readonly fault: string };

/** Reads what stands after `--flag=`, as upstream's flag parser does. */
export function readFlagValue(flag: string, type: SettingType, text: string): ReadValue {
  const refuse = (why: string): ReadValue => ({
    fault: `invalid argument ${JSON.stringify(text)} for "--${flag}" flag: ${why}`,
  });
  switch (type) {
    case 'bool': {
      const value = parseGoBool(text);
      return value === undefined ? refuse(goSyntaxFault('ParseBool', text)) : { value };
    }
    case 'int32':
    case 'int':
      return readInteger(text, type, refuse);
    case 'float32': {
      const value = parseGoFloat(text);
      return value === undefined ? refuse(goSyntaxFault('ParseFloat', text)) : { value };
    }
    case 'duration': {
      const fault = goDurationFault(text);
      return fault === undefined ? { value: text } : refuse(fault);
    }
    case 'strings':
      return { value: text === '' ? [] : text.split(',') };
    case 'string':
    case 'map':
      return { value: text };
  }
}

function readInteger(
  text: string,
  type: 'int32' | 'int',
  refuse: (why: string) => ReadValue,
): ReadValue {
  const match = /^([+-]?)(0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO]?[0-7_]+|[1-9][\d_]*|0)$/.exec(text);
  if (!match) return refuse(goSyntaxFault('ParseInt', text));
  const [, sign, digits = ''] = match;
  const plain = digits.replaceAll('_', '').replace(/^0(?=[0-7])/, '0o');
  const value = Number(plain) * (sign === '-' ? -1 : 1);
  const [least, most] =
    type === 'int32'
      ? [-(2 ** 31), 2 ** 31 - 1]
      : [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  if (value >= least && value <= most) return { value };
  return refuse(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
}

/**
 * A setting of kube-controller-manager from a file, checked against upstream's limits. Usage errors
 * name `at`.
 */
export function checkedSetting(
  definition: SettingDefinition,
  given: unknown,
  at: string,
): SettingValue {
  const { flag = '', type } = definition;
  const isList =
    type === 'strings' && Array.isArray(given) && given.every((one) => typeof one === 'string');
  const isPlain = ['string', 'number', 'boolean'].includes(typeof given);
  if (!isList && !isPlain)
    throw invalid(`${at} is ${JSON.stringify(given)}, which is not a ${type}`);
  const { value, fault } = isList
    ? { value: given as string[] }
    : readFlagValue(flag, type, String(given));
  if (value === undefined) throw invalid(`${at}: ${fault}`);
  const outOfRange = definition.fault?.(value);
  if (outOfRange !== undefined) {
    throw invalid(`${at}: kube-controller-manager does not start with this: ${outOfRange}`);
  }
  return value;
}

function invalid(message: string): Error {
  return usageError(message);
}

import { usageError } from '../../errors.ts';
import { parseGoDuration } from '../../kube/time.ts';
import { parseGoBool } from './feature-gates.ts';
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
      return value === undefined ? refuse(syntaxFault('ParseBool', text)) : { value };
    }
    case 'int32':
    case 'int':
      return readInteger(text, type, refuse);
    case 'float32': {
      const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text);
      return isNumber ? { value: Number(text) } : refuse(syntaxFault('ParseFloat', text));
    }
    case 'duration': {
      const fault = durationFault(text);
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
  if (!match) return refuse(syntaxFault('ParseInt', text));
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

function syntaxFault(parser: string, text: string): string {
  return `strconv.${parser}: parsing ${JSON.stringify(text)}: invalid syntax`;
}

/**
 * Go's words for a duration that is none.
 * @internal
 */
export function durationFault(text: string): string | undefined {
  if (parseGoDuration(text) !== undefined) return undefined;
  const written = JSON.stringify(text);
  let rest = text.replace(/^[+-]/, '');
  while (rest !== '') {
    const number = /^(\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) break;
    rest = rest.slice(number.length);
    const unit = /^[^.\d]*/.exec(rest)?.[0] ?? '';
    if (unit === '') return `time: missing unit in duration ${written}`;
    if (!/^(ns|us|µs|μs|ms|s|m|h)$/.test(unit)) {
      return `time: unknown unit ${JSON.stringify(unit)} in duration ${written}`;
    }
    rest = rest.slice(unit.length);
  }
  return `time: invalid duration ${written}`;
}

/** A setting of kube-controller-manager as a file gives it, held against upstream's limits. Usage errors name `at`. */
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
  return usageError('invalid-settings', message);
}

import { InvalidDocument, list, readAs, type Schema, text } from '../syntax/document-part.ts';
import {
  goDurationFault,
  goSyntaxFault,
  parseGoBool,
  parseGoFloat,
  parseGoInt,
} from '../syntax/go-syntax.ts';
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
    case 'map':
      return { value: text };
  }
}

function readInteger(
  text: string,
  type: 'int32' | 'int',
  refuse: (why: string) => ReadValue,
): ReadValue {
  const value = parseGoInt(text);
  if (value === undefined) return refuse(goSyntaxFault('ParseInt', text));
  const [least, most] =
    type === 'int32'
      ? [-(2 ** 31), 2 ** 31 - 1]
      : [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  if (value >= least && value <= most) return { value };
  return refuse(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
}

/** A setting of kube-controller-manager as a file has it, checked against upstream's limits. */
export function settingValue({ flag = '', type, fault }: SettingDefinition): Schema<SettingValue> {
  return (given) => {
    const { value, fault: misread } =
      type === 'strings' ? { value: list(text)(given) } : readFlagValue(flag, type, scalar(given));
    if (value === undefined) throw new InvalidDocument(`cannot be read: ${misread}`);
    const outOfRange = fault?.(value);
    if (outOfRange === undefined) return value;
    throw new InvalidDocument(`would keep kube-controller-manager from starting: ${outOfRange}`);
  };
}

const scalar = readAs('a number, a text, true or false', (value) =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined,
);

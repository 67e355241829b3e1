import { list, type Part, readAs, text } from '../../kube/document-part.ts';
import { parseGoBool, parseGoDuration, parseGoFloat } from '../../kube/go-syntax.ts';
import type { SettingDefinition, SettingType, SettingValue } from './setting-definition.ts';

/** Reads what stands after `--flag=`; undefined: it is no value of that type. */
export function readFlagValue(type: SettingType, text: string): SettingValue | undefined {
  switch (type) {
    case 'bool':
      return parseGoBool(text);
    case 'int32':
    case 'int':
      return readInteger(text);
    case 'float32':
      return parseGoFloat(text);
    case 'duration':
      return parseGoDuration(text) === undefined ? undefined : text;
    case 'strings':
      return text === '' ? [] : text.split(',');
    case 'map':
      return undefined;
  }
}

function readInteger(text: string): number | undefined {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= -(2 ** 31) && value < 2 ** 31 ? value : undefined;
}

const inWords: Readonly<Record<SettingType, string>> = {
  bool: 'true or false',
  int32: 'a whole number of 32 bits',
  int: 'a whole number of 32 bits',
  float32: 'a number',
  duration: 'a duration such as 30s, 10m or 1h30m',
  strings: 'a list',
  map: 'a mapping',
};

/** A setting of kube-controller-manager as a file has it. */
export function settingValue({ type }: SettingDefinition): Part<SettingValue> {
  if (type === 'strings') return list(text);
  return readAs(inWords[type], (given) =>
    ['string', 'number', 'boolean'].includes(typeof given)
      ? readFlagValue(type, String(given))
      : undefined,
  );
}

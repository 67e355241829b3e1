import { usageError } from '../../errors.ts';
import { readFlagValue } from './read-flag-value.ts';
import type { SettingDefinition, SettingValue } from './setting-definition.ts';

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

import { parseGoDuration } from '../../kubelet/go-duration.ts';
import type { SettingValue } from './setting-definition.ts';

type Fault = (value: SettingValue) => string | undefined;

/** Upstream's two ways to say that a number of workers has to be positive. */
export function greaterThanZero(flag: string): Fault {
  return (value) =>
    Number(value) < 1 ? `${flag} must be greater than 0, but got ${value}` : undefined;
}

export function positive(flag: string, inWords: string): Fault {
  return (value) => (Number(value) < 1 ? `${flag} must be ${inWords}, got ${value}` : undefined);
}

export function between(flag: string, least: number, most: number): Fault {
  return (value) => {
    const number = Number(value);
    if (number < least) return `${flag} must not be less than ${least}, but got ${value}`;
    return number > most ? `${flag} must not be more than ${most}, but got ${value}` : undefined;
  };
}

export function positiveDuration(message: (value: string) => string): Fault {
  return (value) =>
    (parseGoDuration(String(value)) ?? 1) <= 0 ? message(String(value)) : undefined;
}

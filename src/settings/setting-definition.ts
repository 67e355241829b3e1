/** Programs whose settings decide what is collected. */
export type Component = 'kube-controller-manager' | 'kube-apiserver' | 'kubelet';

/** How a flag is written, in upstream's words. */
export type SettingType = 'bool' | 'int32' | 'int' | 'float32' | 'duration' | 'strings' | 'map';

/** A switch may stand alone, as in `--leader-elect`; undefined: not known. */
export type FlagKind = 'switch' | 'value' | undefined;

/**
 * Some are rates, which have a fraction.
 * @minimum -2147483648
 */
type SettingNumber = number;

export type SettingValue =
  | boolean
  | SettingNumber
  | string
  | readonly string[]
  | Readonly<Record<string, string>>;

/** One setting: its names, its default, and what it decides. */
export interface SettingDefinition {
  readonly component: Component;
  /** Its name in documents and in a `--settings` file. */
  readonly name: string;
  /** Without dashes; undefined where only a configuration file sets it. */
  readonly flag: string | undefined;
  /** Of KubeletConfiguration. */
  readonly field: string | undefined;
  readonly type: SettingType;
  /** As upstream's latest version has it. */
  readonly default: SettingValue;
  /** What it was before this minor version of Kubernetes 1. */
  readonly earlier?: { readonly before: number; readonly default: SettingValue };
  /** The first minor version of Kubernetes 1 that has it; undefined: all that are supported. */
  readonly since?: number;
  /** `%`, `nodes/s`; undefined where the value says it or there is none. */
  readonly unit?: string;
  /** Upstream's message when it does not start with the value. */
  readonly fault: ((value: SettingValue) => string | undefined) | undefined;
  /** Ids of the controllers that it concerns. */
  readonly collectors: readonly string[];
  /** The rule that says what it does. */
  readonly rule: string;
  readonly means: string;
  /** What to use instead of a deprecated flag. */
  readonly successor: string | undefined;
}

/** The versions whose defaults are known: minor versions of Kubernetes 1. */
const knownVersions = { first: 28, last: 38 } as const;

/** The minor version that counts where none is known: the one that every test runs against. */
const assumedMinor = 36;

/** The same, written as versions are. */
export const assumedVersion = `v1.${assumedMinor}`;

/** 36 of `v1.36.3`; undefined where no version stands. */
export function minorOf(version: string | undefined): number | undefined {
  const minor = /^v?1\.(\d+)/.exec(version ?? '')?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** The minor version whose controllers decide in a cluster of `version`. */
export function minorOrAssumed(version: string | undefined): number {
  return minorOf(version) ?? assumedMinor;
}

/** The version whose default stands for `minor`: the nearest one that is known. */
export function knownMinor(minor: number | undefined): number {
  const { first, last } = knownVersions;
  return Math.min(Math.max(minor ?? assumedMinor, first), last);
}

/** The default in that minor version; undefined where it does not have the setting. */
export function defaultIn(
  { default: latest, earlier, since = 0 }: SettingDefinition,
  minor: number,
): SettingValue | undefined {
  if (minor < since) return undefined;
  return earlier && minor < earlier.before ? earlier.default : latest;
}

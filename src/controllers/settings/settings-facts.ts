import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { CommandLine } from './command-line.ts';
import type { Component, SettingValue } from './setting-definition.ts';

/** How settings of one running program were read. */
export interface ProgramFacts {
  readonly component: Component;
  /** The node it runs on, the file it was read from, or the server that answered. */
  readonly instance: string;
  /** Where it was read, for people: `pod kube-system/kube-apiserver-cp-1`, `/configz of node a`. */
  readonly readFrom: string;
  /** `v1.36.3`; undefined: not told. */
  readonly version: string | undefined;
  readonly commandLine?: CommandLine;
  /** A KubeletConfiguration: in force (`configz`), or a file that a kubelet may be started with. */
  readonly configuration?: {
    readonly source: 'configz' | 'file';
    readonly fields: Readonly<Record<string, unknown>>;
    /** Why a kubelet would not start with it. */
    readonly problems: readonly string[];
  };
  /** A `--settings` file. */
  readonly given?: {
    readonly readFrom: string;
    readonly values: ReadonlyMap<string, SettingValue>;
  };
}

/** Which of several replicas of kube-controller-manager is at work. */
export type Leader =
  /** Only one can be. */
  | { readonly kind: 'sole' }
  | { readonly kind: 'known'; readonly instance: string; readonly lease: string }
  | {
      readonly kind: 'unknown';
      readonly because: string;
      /** It is none of those that were seen. */
      readonly elsewhere?: boolean;
    };

/** Of a snapshot that was saved without asking kubelets. */
export const kubeletsNotAsked =
  'kubelets were not asked when the snapshot was saved: snapshot save --nodes does that';

/** Everything that was read about settings. */
export interface SettingsFacts {
  /** RFC 3339. */
  readonly observedAt: string;
  readonly serverVersion: string | undefined;
  /** Components that the question is about; what was not read of them is unknown. */
  readonly components: readonly Component[];
  readonly programs: readonly ProgramFacts[];
  readonly leader: Leader;
  readonly problems: readonly CoverageProblem[];
}

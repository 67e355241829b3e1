import type { Json } from '../kube/json-value.ts';
import { coverageProblem } from '../snapshot/coverage-part.ts';
import { readEvidence } from '../snapshot/evidence.ts';
import {
  boolean,
  type Declared,
  defaultTo,
  either,
  fields,
  list,
  map,
  mapping,
  oneOf,
  optional,
  orUnset,
  type Schema,
  text,
} from '../syntax/document-part.ts';
import type { Component, SettingValue } from './setting-definition.ts';
import { settingsTable } from './settings-table.ts';

/** null: the command line ended before the value. */
const flagValue: Schema<string | null> = (value) => (value === null ? null : text(value));

const flags: Schema<ReadonlyMap<string, readonly (string | null)[]>> = (value) =>
  new Map(Object.entries(map(list(flagValue))(value)));

const commandLine = fields({
  /** What was written, by the name of the flag without dashes; several values when it was repeated. */
  flags,
  /** Why some flags may have been missed; undefined: all were read. */
  unclear: orUnset(text),
});
/** The flags that a program was started with. */
export interface CommandLine extends Declared<typeof commandLine> {}

const component: Schema<Component> = oneOf('kube-controller-manager', 'kube-apiserver', 'kubelet');

const program = fields({
  component,
  /** The node it runs on, the file it was read from, or the server that answered. */
  instance: text,
  /** Where it was read, for people: `pod kube-system/kube-apiserver-cp-1`, `/configz of node a`. */
  readFrom: text,
  /** `v1.36.3`; undefined: not reported. */
  version: orUnset(text),
  commandLine: optional(commandLine),
  /** A KubeletConfiguration: in force (`configz`), or a file that a kubelet may be started with. */
  configuration: optional(
    fields({
      source: oneOf('configz', 'file'),
      fields: mapping,
      /** Why a kubelet would not start with it. */
      problems: defaultTo([], list(text)),
    }),
  ),
});
/** How settings of one running program were read. */
export interface ProgramFacts extends Declared<typeof program> {
  /** A `--settings` file, which no snapshot keeps. */
  readonly given?: {
    readonly readFrom: string;
    readonly values: ReadonlyMap<string, SettingValue>;
  };
}

const leader = either('kind', {
  /** Only one can be. */
  sole: fields({ kind: oneOf('sole') }),
  known: fields({ kind: oneOf('known'), instance: text, lease: text }),
  /** `elsewhere`: it is none of those that were seen. */
  unknown: fields({ kind: oneOf('unknown'), because: text, elsewhere: optional(boolean) }),
});
/** Which of several replicas of kube-controller-manager is at work. */
export type Leader = Declared<typeof leader>;

const settingsFacts = fields({
  /** RFC 3339. */
  observedAt: text,
  serverVersion: orUnset(text),
  /** Components that the question is about; what was not read of them is unknown. */
  components: list(component),
  programs: list<ProgramFacts>(program),
  leader,
  problems: list(coverageProblem),
});
/** Everything that was read about settings. */
export interface SettingsFacts extends Declared<typeof settingsFacts> {}

/** Of a snapshot that was saved without asking kubelets. */
export const kubeletsNotAsked =
  'kubelets were not asked when the snapshot was saved: snapshot save --nodes does that';

/** Fields of KubeletConfiguration besides those of settings that rules go by. */
const moreFields = [
  'apiVersion',
  'kind',
  'featureGates',
  'evictionSoftGracePeriod',
  'mergeDefaultEvictionSettings',
];

/**
 * Settings in the form in which a snapshot keeps them: of flags and fields that no setting is about, names at
 * most, as their values may be secret.
 */
export function encodeSettings({ programs, ...facts }: SettingsFacts): Json {
  return { ...facts, programs: programs.map(encodeProgram) };
}

function encodeProgram({ commandLine, configuration, given: _, ...program }: ProgramFacts): Json {
  const definitions = settingsTable()[program.component];
  const flags = new Set(['feature-gates', ...definitions.flatMap(({ flag }) => flag ?? [])]);
  const fields = new Set([...moreFields, ...definitions.flatMap(({ field }) => field ?? [])]);
  return {
    ...program,
    ...(commandLine && {
      commandLine: {
        ...commandLine,
        flags: Object.fromEntries(
          [...commandLine.flags].map(([name, values]) => [name, flags.has(name) ? values : []]),
        ),
      },
    }),
    ...(configuration && {
      configuration: {
        ...configuration,
        fields: Object.fromEntries(
          Object.entries(configuration.fields).filter(([name]) => fields.has(name)),
        ),
      },
    }),
  };
}

/** Throws GcError `invalid-snapshot` where saved settings are none. */
export function decodeSettings(json: Json): SettingsFacts {
  return readEvidence('settings', settingsFacts, json);
}

/** What was read of the control plane when a snapshot was saved. */
export function savedManagerFacts(json: Json): SettingsFacts {
  const components: readonly Component[] = ['kube-controller-manager', 'kube-apiserver'];
  const { programs, ...facts } = decodeSettings(json);
  const own = programs.filter((one) => components.includes(one.component));
  return { ...facts, components, programs: own };
}

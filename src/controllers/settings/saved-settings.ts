import {
  defaultTo,
  either,
  fields,
  list,
  map,
  mapping,
  oneOf,
  optional,
  orUnset,
  type Part,
  text,
  truth,
} from '../../kube/document-part.ts';
import type { Json } from '../../kube/json-value.ts';
import { coverageProblem } from '../../snapshot/coverage-part.ts';
import { readEvidence } from '../../snapshot/saved-snapshot.ts';
import type { Component } from './setting-definition.ts';
import type { Leader, ProgramFacts, SettingsFacts } from './settings-facts.ts';
import { settingsTable } from './settings-table.ts';

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
  const definitions = settingsTable[program.component];
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

const component: Part<Component> = oneOf('kube-controller-manager', 'kube-apiserver', 'kubelet');

const flagValue: Part<string | null> = (value) => (value === null ? null : text(value));

const program: Part<ProgramFacts> = fields({
  component,
  instance: text,
  readFrom: text,
  version: orUnset(text),
  commandLine: optional(fields({ flags: mapOf(list(flagValue)), unclear: orUnset(text) })),
  configuration: optional(
    fields({
      source: oneOf('configz', 'file'),
      fields: mapping,
      problems: defaultTo([], list(text)),
    }),
  ),
});

const leader: Part<Leader> = either('kind', {
  sole: fields({ kind: oneOf('sole') }),
  known: fields({ kind: oneOf('known'), instance: text, lease: text }),
  unknown: fields({ kind: oneOf('unknown'), because: text, elsewhere: optional(truth) }),
});

const settingsFacts: Part<SettingsFacts> = fields({
  observedAt: text,
  serverVersion: orUnset(text),
  components: list(component),
  programs: list(program),
  leader,
  problems: list(coverageProblem),
});

/** What was read of kube-controller-manager when a snapshot was saved. */
export function savedManagerFacts(json: Json): SettingsFacts {
  const manager = 'kube-controller-manager';
  const { programs, ...facts } = decodeSettings(json);
  const own = programs.filter(({ component }) => component === manager);
  return { ...facts, components: [manager], programs: own };
}

/** Throws GcError `invalid-snapshot` where saved settings are none. */
export function decodeSettings(json: Json): SettingsFacts {
  return readEvidence('settings', settingsFacts, json);
}

function mapOf<T>(of: Part<T>): Part<ReadonlyMap<string, T>> {
  return (value) => new Map(Object.entries(map(of)(value)));
}

import { type Json, jsonOf, listOf, textOf, textsByKey, textsOf } from '../../kube/json-value.ts';
import { decodeProblems, invalidEvidence } from '../../snapshot/saved-snapshot.ts';
import type { CommandLine, FlagValue } from './command-line.ts';
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

function encodeProgram({
  commandLine,
  flagz,
  configuration,
  given: _,
  gates,
  ...program
}: ProgramFacts): Json {
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
    ...(flagz && { flagz: Object.fromEntries([...flagz].filter(([name]) => flags.has(name))) }),
    ...(configuration && {
      configuration: {
        ...configuration,
        fields: Object.fromEntries(
          Object.entries(configuration.fields).filter(([name]) => fields.has(name)),
        ),
      },
    }),
    ...(gates && { gates: Object.fromEntries(gates) }),
  };
}

/** Throws GcError `invalid-snapshot` where saved settings are none. */
export function decodeSettings(json: Json): SettingsFacts {
  const observedAt = textOf(json.observedAt);
  const components = listOf(json.components, componentOf);
  const programs = listOf(json.programs, programOf);
  const leader = leaderOf(json.leader);
  const problems = decodeProblems(json.problems);
  if (observedAt === undefined || !components || !programs || !leader || !problems) {
    throw invalidEvidence('settings');
  }
  const serverVersion = textOf(json.serverVersion);
  return { observedAt, serverVersion, components, programs, leader, problems };
}

function componentOf(value: unknown): Component | undefined {
  return Object.keys(settingsTable).find((one): one is Component => one === value);
}

function programOf(value: unknown): ProgramFacts | undefined {
  const json = jsonOf(value);
  const component = componentOf(json?.component);
  const instance = textOf(json?.instance);
  const readFrom = textOf(json?.readFrom);
  if (!json || !component || instance === undefined || readFrom === undefined) return undefined;
  const commandLine = commandLineOf(json.commandLine);
  const configuration = configurationOf(json.configuration);
  const gates = jsonOf(json.gates);
  return {
    component,
    instance,
    readFrom,
    version: textOf(json.version),
    ...(commandLine && { commandLine }),
    ...(jsonOf(json.flagz) && { flagz: new Map(Object.entries(textsByKey(json.flagz) ?? {})) }),
    ...(configuration && { configuration }),
    ...(gates && {
      gates: new Map(Object.entries(gates).map(([name, on]) => [name, on === true] as const)),
    }),
  };
}

function commandLineOf(value: unknown): CommandLine | undefined {
  const json = jsonOf(value);
  const flags = jsonOf(json?.flags);
  if (!flags) return undefined;
  const entries = Object.entries(flags).map(([name, values]) => {
    return [name, listOf(values, flagValueOf) ?? []] as const;
  });
  return { flags: new Map(entries), unclear: textOf(json?.unclear) };
}

function flagValueOf(value: unknown): FlagValue | undefined {
  const json = jsonOf(value);
  const text = textOf(json?.text);
  if (text === undefined) return undefined;
  const unclear = textOf(json?.unclear);
  return {
    text,
    ...(unclear !== undefined && { unclear }),
    ...(json?.isMissing === true && { isMissing: true }),
  };
}

function configurationOf(value: unknown): ProgramFacts['configuration'] {
  const json = jsonOf(value);
  const fields = jsonOf(json?.fields);
  if (!fields) return undefined;
  return { source: 'configz', fields, problems: textsOf(json?.problems) };
}

function leaderOf(value: unknown): Leader | undefined {
  const json = jsonOf(value);
  if (json?.kind === 'sole') return { kind: 'sole' };
  const instance = textOf(json?.instance);
  const lease = textOf(json?.lease);
  if (json?.kind === 'known' && instance !== undefined && lease !== undefined) {
    return { kind: 'known', instance, lease };
  }
  const because = textOf(json?.because);
  if (json?.kind !== 'unknown' || because === undefined) return undefined;
  return { kind: 'unknown', because, ...(json.elsewhere === true && { elsewhere: true }) };
}

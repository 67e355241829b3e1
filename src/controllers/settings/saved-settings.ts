import type { Json } from '../../kube/json-value.ts';
import { readEvidence } from '../../snapshot/saved-snapshot.ts';
import { type ProgramFacts, type SettingsFacts, settingsFacts } from './settings-facts.ts';
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

/** Throws GcError `invalid-snapshot` where saved settings are none. */
export function decodeSettings(json: Json): SettingsFacts {
  return readEvidence('settings', settingsFacts, json);
}

/** What was read of kube-controller-manager when a snapshot was saved. */
export function savedManagerFacts(json: Json): SettingsFacts {
  const manager = 'kube-controller-manager';
  const { programs, ...facts } = decodeSettings(json);
  const own = programs.filter(({ component }) => component === manager);
  return { ...facts, components: [manager], programs: own };
}

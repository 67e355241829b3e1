import { isDeciding } from './deciding-settings.ts';
import { featureGates, gateIn } from './feature-gates.ts';
import {
  gateProblems,
  readGate,
  readSetting,
  type SettingReading,
  type SettingSource,
  unknown,
} from './read-setting.ts';
import {
  type Component,
  defaultIn,
  knownMinor,
  minorOf,
  type SettingDefinition,
  type SettingValue,
} from './setting-definition.ts';
import type { ProgramFacts, SettingsFacts } from './settings-facts.ts';
import { settingsTable } from './settings-table.ts';

/** The description of a setting or a gate: its names, and its unit and replacement if it has any. */
interface About
  extends Pick<SettingDefinition, 'component' | 'name' | 'collectors' | 'rule' | 'means'>,
    Partial<Pick<SettingDefinition, 'flag' | 'field' | 'unit' | 'successor'>> {
  /** No answer depends on it: it is shown, and nothing is decided by it. */
  readonly shownOnly?: true;
}

/** One setting with one value, and all programs that have this value. Its flag has its dashes. */
export interface EffectiveSetting extends About {
  /** Left out where it is not known. */
  readonly value?: SettingValue;
  readonly source: SettingSource;
  /** Where it was read, or why it is not known. */
  readonly readFrom: string;
  /** Of the version in `defaultOf`, which is not always the version that runs. */
  readonly default: SettingValue;
  /** `v1.36`. */
  readonly defaultOf: string;
  /** Nodes or files that have it so; empty where none was read. */
  readonly instances: readonly string[];
  /** Upstream's words for why it does not start with this. */
  readonly problems: readonly string[];
}

/** A setting or a gate, in one form. */
interface SettingQuestion {
  readonly about: About;
  defaultIn(minor: number): SettingValue | undefined;
  read(program: ProgramFacts): SettingReading | undefined;
}

/** Every setting of every component in question, and where each was read. */
export function effectiveSettings(facts: SettingsFacts): EffectiveSetting[] {
  return facts.components.flatMap((component) => {
    const programs = programsAtWork(facts, component);
    return questionsOf(component).flatMap((question) => answers(question, programs, facts));
  });
}

/** What upstream would not start with, whatever setting it is about. */
export function startFaults(facts: SettingsFacts): string[] {
  return [...new Set(facts.programs.flatMap(effectiveFaults))];
}

/** Why one program does not start as it is configured, in upstream's words. */
export function effectiveFaults(program: ProgramFacts): string[] {
  return [
    ...new Set([
      ...questionsOf(program.component).flatMap(({ read }) => read(program)?.problems ?? []),
      ...(program.configuration?.problems ?? []),
      ...gateProblems(program),
    ]),
  ];
}

function questionsOf(component: Component): SettingQuestion[] {
  const settings = settingsTable()[component].map(
    (definition): SettingQuestion => ({
      about: { ...definition, ...shownOnly(component, definition.name, false) },
      defaultIn: (minor) => defaultIn(definition, minor),
      read: (program) => readSetting(definition, program),
    }),
  );
  const gates = featureGates()
    .filter(({ components }) => components.includes(component))
    .map((gate): SettingQuestion => {
      const { name, collectors, rule, means } = gate;
      return {
        about: { component, name, collectors, rule, means, ...shownOnly(component, name, true) },
        defaultIn: (minor) => gateIn(gate, minor)?.on,
        read: (program) => readGate(gate, program),
      };
    });
  return [...settings, ...gates];
}

function shownOnly(component: Component, name: string, isGate: boolean): Pick<About, 'shownOnly'> {
  return isDeciding(component, name, isGate) ? {} : { shownOnly: true };
}

/**
 * Only the leader among kube-controller-manager's replicas is active; of the other components,
 * every instance is.
 */
function programsAtWork(facts: SettingsFacts, component: Component): readonly ProgramFacts[] {
  const programs = facts.programs.filter((program) => program.component === component);
  const { leader } = facts;
  if (component !== 'kube-controller-manager' || leader.kind !== 'known') return programs;
  return programs.filter(({ instance }) => instance === leader.instance);
}

function answers(
  question: SettingQuestion,
  programs: readonly ProgramFacts[],
  facts: SettingsFacts,
): EffectiveSetting[] {
  const { about } = question;
  const groups = new Map<string, { reading: SettingReading; instances: string[]; minor: number }>();
  for (const program of programs) {
    const reading = question.read(program);
    if (reading === undefined) continue;
    const minor = knownMinor(minorOf(program.version ?? facts.serverVersion));
    const key = JSON.stringify([reading.value, reading.source, reading.problems, minor]);
    const group = groups.get(key);
    if (group) group.instances.push(program.instance);
    else groups.set(key, { reading, instances: [program.instance], minor });
  }
  const found = [...groups.values()];
  const item = (reading: SettingReading, instances: readonly string[], minor: number) => {
    const fallback = question.defaultIn(minor);
    const { value, source, readFrom, problems } = reading;
    return {
      component: about.component,
      name: about.name,
      ...(about.flag !== undefined && { flag: `--${about.flag}` }),
      ...(about.field !== undefined && { field: about.field }),
      ...(value !== undefined && { value }),
      ...(about.unit !== undefined && { unit: about.unit }),
      source,
      readFrom,
      default: fallback ?? question.defaultIn(knownMinor(undefined)) ?? '',
      defaultOf: `v1.${fallback === undefined ? knownMinor(undefined) : minor}`,
      instances,
      problems,
      collectors: about.collectors,
      rule: about.rule,
      means: about.means,
      ...(about.shownOnly && { shownOnly: about.shownOnly }),
      ...(about.successor !== undefined && { successor: about.successor }),
    };
  };
  const clusterMinor = knownMinor(minorOf(facts.serverVersion));
  if (programs.length === 0) {
    // Where that version does not have it, there is nothing to know.
    if (question.defaultIn(clusterMinor) === undefined) return [];
    return [item(unknown(`no ${about.component} could be read`), [], clusterMinor)];
  }
  const { leader } = facts;
  const isManager = about.component === 'kube-controller-manager';
  if (isManager && leader.kind === 'unknown' && (leader.elsewhere || found.length > 1)) {
    const why = leader.elsewhere ? leader.because : `the replicas differ, and ${leader.because}`;
    return found.length === 0 ? [] : [item(unknown(why), [], clusterMinor)];
  }
  return found.map(({ reading, instances, minor }) => item(reading, instances, minor));
}

import { type FeatureGate, gateFault, gateIn, parseFeatureGates } from './feature-gates.ts';
import { readFlagValue } from './flag-value.ts';
import {
  defaultIn,
  knownMinor,
  minorOf,
  type SettingDefinition,
  type SettingValue,
} from './setting-definition.ts';
import type { ProgramFacts } from './settings-facts.ts';

export type SettingSource = 'flag' | 'file' | 'configz' | 'default' | 'unknown';

/** The value of a setting in one program, and how it is known. */
export interface SettingReading {
  /** Undefined: not known, or what is written is not a valid value. */
  readonly value: SettingValue | undefined;
  readonly source: SettingSource;
  /** Where it was read, or why it is not known. */
  readonly readFrom: string;
  /** Upstream's words for what is wrong with it. */
  readonly problems: readonly string[];
}

function reading(
  value: SettingValue | undefined,
  source: SettingSource,
  readFrom: string,
  problems: readonly string[] = [],
): SettingReading {
  return { value, source, readFrom, problems };
}

/** A setting of which only is known why its value is not. */
export function unknown(why: string): SettingReading {
  return reading(undefined, 'unknown', why);
}

/** Reads one setting of a program; undefined where that version does not have it. */
export function readSetting(
  definition: SettingDefinition,
  program: ProgramFacts,
): SettingReading | undefined {
  const fallback = defaultIn(definition, knownMinor(minorOf(program.version)));
  return (
    fromFile(definition, program) ??
    fromConfiguration(definition, program) ??
    fromCommandLine(definition, program) ??
    (fallback === undefined ? undefined : absent(definition, program, fallback))
  );
}

function absent(
  { flag, field, type }: SettingDefinition,
  { readFrom, commandLine, configuration, given, version }: ProgramFacts,
  fallback: SettingValue,
): SettingReading {
  if (commandLine?.unclear) return unknown(`${readFrom}: ${commandLine.unclear}`);
  if (commandLine) {
    const where = `${readFrom} does not set --${flag}`;
    const minor = minorOf(version);
    if (minor !== knownMinor(minor)) {
      return unknown(`${where}, and the default of ${version ?? 'its version'} is not known`);
    }
    return reading(fallback, 'default', where);
  }
  if (configuration && field === undefined) {
    return unknown('only a flag sets it, and no command line was read');
  }
  if (configuration?.source === 'configz') {
    // An empty mapping is left out; everything else is shown with its default.
    if (type === 'map') return reading({}, 'configz', readFrom);
    return unknown(`${readFrom} does not show it`);
  }
  if (given || configuration) {
    return reading(fallback, 'default', `${given?.readFrom ?? readFrom} does not set it`);
  }
  return unknown(`${readFrom} shows nothing`);
}

function fromFile(
  { name }: SettingDefinition,
  { given }: ProgramFacts,
): SettingReading | undefined {
  const value = given?.values.get(name);
  return given && value !== undefined ? reading(value, 'file', given.readFrom) : undefined;
}

function fromConfiguration(
  { name, type }: SettingDefinition,
  { configuration, readFrom }: ProgramFacts,
): SettingReading | undefined {
  const written = configuration?.fields[name];
  if (configuration === undefined || written === undefined || written === null) return undefined;
  const problems = configuration.problems.filter((problem) => problem.includes(name));
  return reading(typed(type, written), configuration.source, readFrom, problems);
}

function typed(type: SettingDefinition['type'], written: unknown): SettingValue | undefined {
  if (type === 'map') {
    const entries = Object.entries(Object(written));
    const plain = entries.filter(([, one]) => typeof one !== 'object');
    return Object.fromEntries(plain.map(([key, one]) => [key, String(one)]));
  }
  return typeof written === 'number' || typeof written === 'string' ? written : undefined;
}

function fromCommandLine(
  { flag, type, fault: faultOf, since = 0 }: SettingDefinition,
  { commandLine, readFrom, version }: ProgramFacts,
): SettingReading | undefined {
  const written = flag === undefined ? undefined : commandLine?.flags.get(flag);
  if (flag === undefined || written === undefined) return undefined;
  const where = `${readFrom}, --${flag}`;
  if ((minorOf(version) ?? since) < since) {
    return reading(undefined, 'flag', where, [`unknown flag: --${flag}`]);
  }
  const unclear = unclearIn(written);
  if (unclear !== undefined) return unknown(`${where}: ${unclear}`);
  const { value, fault } = join(flag, type, written);
  const problem = value === undefined ? fault : faultOf?.(value);
  return reading(value, 'flag', where, problem ? [problem] : []);
}

/** The last of several values counts; lists grow. */
function join(
  flag: string,
  type: SettingDefinition['type'],
  written: readonly (string | null)[],
): ReturnType<typeof readFlagValue> {
  const values = written.map((text) =>
    text === null
      ? { fault: `flag needs an argument: --${flag}` }
      : readFlagValue(flag, type, text),
  );
  const faulty = values.find(({ fault }) => fault !== undefined);
  if (faulty) return faulty;
  if (type !== 'strings') return values.at(-1) ?? { fault: '' };
  return { value: values.flatMap(({ value }) => value as readonly string[]) };
}

function unclearIn(written: readonly (string | null)[]): string | undefined {
  const variable = written.find(hasVariable);
  return variable ? `${variable} is known to the kubelet alone` : undefined;
}

/** Does it hold `$(NAME)`? What stands for it may be kept outside of the pod. */
function hasVariable(text: string | null): boolean {
  return text?.includes('$(') ?? false;
}

/** Reads one feature gate of a program; undefined where that version does not have it. */
export function readGate(gate: FeatureGate, program: ProgramFacts): SettingReading | undefined {
  const { readFrom, commandLine, configuration } = program;
  const set = configuration && gateOf(configuration.fields, gate.name);
  if (configuration && set !== undefined) return reading(set, configuration.source, readFrom);
  const written = commandLine?.flags.get('feature-gates') ?? [];
  const unclear = unclearIn(written) ?? commandLine?.unclear;
  if (unclear !== undefined) return unknown(`${readFrom}: ${unclear}`);
  const text = commandLine && written.join(',');
  const version = minorOf(program.version);
  const minor = knownMinor(version);
  const on = text === undefined ? undefined : parseFeatureGates(text).gates.get(gate.name);
  if (on !== undefined) {
    // Which values an unknown version rejects is unknown too.
    const fault = version === minor ? gateFault(gate, on, minor) : undefined;
    return reading(on, 'flag', `${readFrom}, --feature-gates`, fault ? [fault] : []);
  }
  const present = gateIn(gate, minor);
  if (present === undefined) return undefined;
  if (version !== minor) {
    return unknown(`${readFrom} does not set it, and its version's default is not known`);
  }
  if (text === undefined && !configuration && !program.given)
    return unknown(`${readFrom} shows nothing`);
  return reading(present.on, 'default', `${readFrom} does not set it`);
}

function gateOf(fields: Readonly<Record<string, unknown>>, name: string): boolean | undefined {
  const on: unknown = Object(fields.featureGates)[name];
  return typeof on === 'boolean' ? on : undefined;
}

/** What is wrong with how gates are written, whatever gates they are. */
export function gateProblems({ commandLine }: ProgramFacts): readonly string[] {
  const written = commandLine?.flags.get('feature-gates') ?? [];
  return written.flatMap((text) =>
    text === null || hasVariable(text) ? [] : parseFeatureGates(text).problems,
  );
}

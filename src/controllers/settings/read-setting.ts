import type { FlagValue } from './command-line.ts';
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

export type SettingSource =
  | 'flag'
  | 'flagz'
  | 'file'
  | 'configz'
  | 'metrics'
  | 'default'
  | 'unknown';

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

/** Reads one setting of a program; undefined where that version does not have it. */
export function readSetting(
  definition: SettingDefinition,
  program: ProgramFacts,
): SettingReading | undefined {
  const minor = knownMinor(minorOf(program.version));
  const fallback = defaultIn(definition, minor);
  const found =
    fromFile(definition, program) ??
    fromConfiguration(definition, program) ??
    fromFlagz(definition, program) ??
    fromCommandLine(definition, program);
  if (found) return found;
  if (fallback === undefined) return undefined;
  return absent(definition, program, fallback);
}

function absent(
  { flag, field, type }: SettingDefinition,
  { readFrom, commandLine, configuration, given, version, flagz }: ProgramFacts,
  fallback: SettingValue,
): SettingReading {
  const base = { problems: [] };
  const unknown = (why: string): SettingReading => ({
    ...base,
    value: undefined,
    source: 'unknown',
    readFrom: why,
  });
  if (commandLine?.unclear) return unknown(`${readFrom}: ${commandLine.unclear}`);
  if (commandLine) {
    const minor = minorOf(version);
    if (minor === undefined || minor !== knownMinor(minor)) {
      const known = `the default of ${version ?? 'its version'} is not known`;
      return unknown(`${readFrom} does not set --${flag}, and ${known}`);
    }
    const where = `${readFrom} does not set --${flag}`;
    return { ...base, value: fallback, source: 'default', readFrom: where };
  }
  if (configuration && field === undefined) {
    return unknown('only a flag sets it, and neither /flagz nor a command line was read');
  }
  if (configuration?.source === 'configz') {
    // An empty mapping is left out; everything else is shown with its default.
    if (type === 'map') return { ...base, value: {}, source: 'configz', readFrom };
    return unknown(`${readFrom} does not show it`);
  }
  if (given || configuration) {
    const where = `${given?.readFrom ?? readFrom} does not set it`;
    return { ...base, value: fallback, source: 'default', readFrom: where };
  }
  return unknown(flagz ? `${readFrom} does not show it` : `${readFrom} tells nothing`);
}

function fromFile(
  { name }: SettingDefinition,
  { given }: ProgramFacts,
): SettingReading | undefined {
  const value = given?.values.get(name);
  if (given === undefined || value === undefined) return undefined;
  return { value, source: 'file', readFrom: given.readFrom, problems: [] };
}

function fromConfiguration(
  { name, type }: SettingDefinition,
  { configuration, readFrom }: ProgramFacts,
): SettingReading | undefined {
  const written = configuration?.fields[name];
  if (configuration === undefined || written === undefined || written === null) return undefined;
  const problems = configuration.problems.filter((problem) => problem.includes(name));
  return {
    value: typed(type, written),
    source: configuration.source,
    readFrom,
    problems,
  };
}

function typed(type: SettingDefinition['type'], written: unknown): SettingValue | undefined {
  if (type === 'map') {
    const entries = Object.entries(Object(written)).map(
      ([key, one]) => [key, String(one)] as const,
    );
    return Object.fromEntries(entries);
  }
  return typeof written === 'number' || typeof written === 'boolean' || typeof written === 'string'
    ? written
    : undefined;
}

function fromFlagz(
  definition: SettingDefinition,
  program: ProgramFacts,
): SettingReading | undefined {
  const { flag } = definition;
  const text = flag === undefined ? undefined : program.flagz?.get(flag);
  // What a kubelet's file can set is shown by /flagz as if there was no file.
  const isInFile = definition.component === 'kubelet' && definition.rule !== 'CFG-4';
  if (flag === undefined || text === undefined || isInFile) return undefined;
  const plain = definition.type === 'strings' ? text.replace(/^\[|\]$/g, '') : text;
  const { value } = readFlagValue(flag, definition.type, plain);
  const readFrom = program.commandLine ? `/flagz of ${program.instance}` : program.readFrom;
  return { value, source: 'flagz', readFrom, problems: [] };
}

function fromCommandLine(
  definition: SettingDefinition,
  { commandLine, readFrom }: ProgramFacts,
): SettingReading | undefined {
  const { flag, type } = definition;
  const written = flag === undefined ? undefined : commandLine?.flags.get(flag);
  if (flag === undefined || written === undefined) return undefined;
  const place = { source: 'flag' as const, readFrom: `${readFrom}, --${flag}` };
  const unclear = written.find((one) => one.unclear !== undefined)?.unclear;
  if (unclear !== undefined) {
    return {
      value: undefined,
      source: 'unknown',
      readFrom: `${place.readFrom}: ${unclear}`,
      problems: [],
    };
  }
  const { value, fault } = join(flag, type, written);
  if (value === undefined) return { value, ...place, problems: fault ? [fault] : [] };
  const outOfRange = definition.fault?.(value);
  return { value, ...place, problems: outOfRange ? [outOfRange] : [] };
}

/** The last of several values counts; lists grow. */
function join(
  flag: string,
  type: SettingDefinition['type'],
  written: readonly FlagValue[],
): ReturnType<typeof readFlagValue> {
  if (written.some((one) => one.isMissing)) return { fault: `flag needs an argument: --${flag}` };
  const values = written.map(({ text }) => readFlagValue(flag, type, text));
  const faulty = values.find(({ fault }) => fault !== undefined);
  if (faulty) return faulty;
  if (type !== 'strings') return values.at(-1) ?? { fault: '' };
  return { value: values.flatMap(({ value }) => value as readonly string[]) };
}

/** Reads one feature gate of a program; undefined where that version does not have it. */
export function readGate(gate: FeatureGate, program: ProgramFacts): SettingReading | undefined {
  const { readFrom, commandLine, configuration } = program;
  const shown = program.gates?.get(gate.name);
  if (shown !== undefined) {
    return {
      value: shown,
      source: 'metrics',
      readFrom: `/metrics of ${program.instance}`,
      problems: [],
    };
  }
  const minor = knownMinor(minorOf(program.version));
  const set = configuration && gateOf(configuration.fields, gate.name);
  if (configuration && set !== undefined) {
    return { value: set, source: configuration.source, readFrom, problems: [] };
  }
  const written = commandLine?.flags.get('feature-gates') ?? [];
  const unclear = written.find((one) => one.unclear !== undefined)?.unclear ?? commandLine?.unclear;
  if (unclear !== undefined) return unknown(`${readFrom}: ${unclear}`);
  const text = commandLine
    ? written.map((one) => one.text).join(',')
    : program.flagz?.get('feature-gates');
  if (text !== undefined) {
    const parsed = parseFeatureGates(text);
    const on = parsed.gates.get(gate.name);
    if (on !== undefined) {
      // Which values an unknown version rejects is unknown too.
      const isKnown = minorOf(program.version) === minor;
      const fault = isKnown ? gateFault(gate, on, minor) : undefined;
      const where = commandLine ? `${readFrom}, --feature-gates` : readFrom;
      const source = commandLine ? 'flag' : 'flagz';
      return { value: on, source, readFrom: where, problems: fault ? [fault] : [] };
    }
  }
  const present = gateIn(gate, minor);
  if (present === undefined) return undefined;
  const version = minorOf(program.version);
  if (version === undefined || version !== minor) {
    return unknown(`${readFrom} does not set it, and its version's default is not known`);
  }
  if (text === undefined && !configuration && !program.given)
    return unknown(`${readFrom} tells nothing`);
  return {
    value: present.on,
    source: 'default',
    readFrom: `${readFrom} does not set it`,
    problems: [],
  };
}

function unknown(readFrom: string): SettingReading {
  return { value: undefined, source: 'unknown', readFrom, problems: [] };
}

function gateOf(fields: Readonly<Record<string, unknown>>, name: string): boolean | undefined {
  const on: unknown = Object(fields.featureGates)[name];
  return typeof on === 'boolean' ? on : undefined;
}

/** What is wrong with how gates are written, whatever gates they are. */
export function gateProblems({ commandLine }: ProgramFacts): readonly string[] {
  const written = commandLine?.flags.get('feature-gates') ?? [];
  return written.flatMap(({ text, unclear }) =>
    unclear === undefined ? parseFeatureGates(text).problems : [],
  );
}

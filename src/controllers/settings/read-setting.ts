import { type FeatureGate, gateIn, parseFeatureGates } from './feature-gates.ts';
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
}

/** A setting of which only is known why its value is not. */
export function unknown(why: string): SettingReading {
  return { value: undefined, source: 'unknown', readFrom: why };
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
    return { value: fallback, source: 'default', readFrom: where };
  }
  if (configuration && field === undefined) {
    return unknown('only a flag sets it, and no command line was read');
  }
  if (configuration?.source === 'configz') {
    // An empty mapping is left out; everything else is shown with its default.
    if (type === 'map') return { value: {}, source: 'configz', readFrom };
    return unknown(`${readFrom} does not show it`);
  }
  if (given || configuration) {
    const where = `${given?.readFrom ?? readFrom} does not set it`;
    return { value: fallback, source: 'default', readFrom: where };
  }
  return unknown(`${readFrom} shows nothing`);
}

function fromFile(
  { name }: SettingDefinition,
  { given }: ProgramFacts,
): SettingReading | undefined {
  const value = given?.values.get(name);
  if (!given || value === undefined) return undefined;
  return { value, source: 'file', readFrom: given.readFrom };
}

function fromConfiguration(
  { name, type }: SettingDefinition,
  { configuration, readFrom }: ProgramFacts,
): SettingReading | undefined {
  const written = configuration?.fields[name];
  if (configuration === undefined || written === undefined || written === null) return undefined;
  return { value: typed(type, written), source: configuration.source, readFrom };
}

function typed(type: SettingDefinition['type'], written: unknown): SettingValue | undefined {
  if (type === 'map') {
    const entries = Object.entries(Object(written));
    const plain = entries.filter(([, one]) => typeof one !== 'object');
    return Object.fromEntries(plain.map(([key, one]) => [key, String(one)]));
  }
  return typeof written === 'number' || typeof written === 'string' ? written : undefined;
}

/** The last of several values counts; lists grow. */
function fromCommandLine(
  { flag, type }: SettingDefinition,
  { commandLine, readFrom }: ProgramFacts,
): SettingReading | undefined {
  const written = flag === undefined ? undefined : commandLine?.flags.get(flag);
  if (written === undefined) return undefined;
  const where = `${readFrom}, --${flag}`;
  const values = written.flatMap((text) => (hasVariable(text) ? [] : [readFlagValue(type, text)]));
  const value = type === 'strings' ? values.flatMap((one) => one as string[]) : values.at(-1);
  if (values.length < written.length || values.includes(undefined)) {
    return unknown(`${where}=${written.find(hasVariable) ?? written.at(-1)} cannot be read`);
  }
  return { value, source: 'flag', readFrom: where };
}

/** Does it hold `$(NAME)`? What the variable stands for may be kept outside of the pod. */
function hasVariable(text: string): boolean {
  return text.includes('$(');
}

/** Reads one feature gate of a program; undefined where that version does not have it. */
export function readGate(gate: FeatureGate, program: ProgramFacts): SettingReading | undefined {
  const { readFrom, commandLine, configuration, given } = program;
  const set = configuration && gateOf(configuration.fields, gate.name);
  if (configuration && set !== undefined)
    return { value: set, source: configuration.source, readFrom };
  const written = commandLine?.flags.get('feature-gates')?.join(',') ?? '';
  if (hasVariable(written)) return unknown(`${readFrom}, --feature-gates cannot be read`);
  if (commandLine?.unclear) return unknown(`${readFrom}: ${commandLine.unclear}`);
  const on = parseFeatureGates(written).get(gate.name);
  if (on !== undefined) {
    return { value: on, source: 'flag', readFrom: `${readFrom}, --feature-gates` };
  }
  const version = minorOf(program.version);
  const present = gateIn(gate, knownMinor(version));
  if (present === undefined) return undefined;
  if (version !== knownMinor(version)) {
    return unknown(`${readFrom} does not set it, and its version's default is not known`);
  }
  if (!commandLine && !configuration && !given) return unknown(`${readFrom} shows nothing`);
  return { value: present.on, source: 'default', readFrom: `${readFrom} does not set it` };
}

function gateOf(fields: Readonly<Record<string, unknown>>, name: string): boolean | undefined {
  const on: unknown = Object(fields.featureGates)[name];
  return typeof on === 'boolean' ? on : undefined;
}

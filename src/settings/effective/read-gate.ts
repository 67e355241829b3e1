import { type FeatureGate, gateFault, gateIn, parseFeatureGates } from './feature-gates.ts';
import type { Reading } from './read-setting.ts';
import { knownMinor, minorOf } from './setting-definition.ts';
import type { ProgramFacts } from './settings-facts.ts';

/** Reads one feature gate of a program; undefined where that version does not have it. */
export function readGate(gate: FeatureGate, program: ProgramFacts): Reading | undefined {
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
      // What a version that is not known calls wrong is not known either.
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

function unknown(readFrom: string): Reading {
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

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What a program of the control plane says of one of its flags. */
export interface HelpedFlag {
  readonly type: string;
  /** As `--help` prints it; undefined where it is nothing. */
  readonly default: string | undefined;
}

/** A feature gate as `--help` prints it. */
export interface HelpedGate {
  readonly default: boolean;
}

export interface Help {
  readonly flags: ReadonlyMap<string, HelpedFlag>;
  readonly gates: ReadonlyMap<string, HelpedGate>;
}

/** Asks a built program for its flags and feature gates. */
export async function helpOf(binaries: string, program: string): Promise<Help> {
  const { output } = await runProgram(binaries, program, ['--help']);
  const flags = new Map<string, HelpedFlag>();
  // A description goes on in the lines below, and its default stands at the end.
  for (const entry of output.split(/^(?= {2,6}(?:-\w, )?--)/m)) {
    const match = /^ {2,6}(?:-\w, )?--([\w-]+)(?: (\S+))?/.exec(entry);
    if (!match) continue;
    const [, name = '', type = ''] = match;
    const first = entry.split(/\n\n/)[0] ?? '';
    const isSwitch = /^ {2,6}(?:-\w, )?--[\w-]+ {2,}/.test(entry);
    const written = /\(default "?(\[[^\]]*\]|[^")]*)"?\)\s*$/.exec(first)?.[1];
    flags.set(name, { type: isSwitch ? 'bool' : type, default: written });
  }
  const gates = new Map<string, HelpedGate>();
  for (const [, name = '', on] of output.matchAll(
    /kube:(\w+)=true\|false \(\w+ - default=(\w+)\)/g,
  )) {
    gates.set(name, { default: on === 'true' });
  }
  return { flags, gates };
}

/** What a program says when it does not start with these flags: upstream's own words. */
export async function refusalOf(
  binaries: string,
  program: string,
  args: readonly string[],
): Promise<string> {
  const { code, output } = await runProgram(binaries, program, args);
  if (code === 0) throw new Error(`${program} ${args.join(' ')} ended well`);
  const failed = /"command failed" err="((?:[^"\\]|\\.)*)"/.exec(output)?.[1];
  const usage = /^Error: (.*)$/m.exec(output)?.[1];
  return usage ?? (failed === undefined ? output : (JSON.parse(`"${failed}"`) as string));
}

const longest = 30_000;

async function runProgram(
  binaries: string,
  program: string,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(join(binaries, program), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill(), longest);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { code, output: Buffer.concat(chunks).toString('utf8') };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Run, root, wordsOf } from './command-line.ts';
import { eventually } from './eventually.ts';
import { bareEnvironment, bin } from './run-gc.ts';

/** A command that goes on until it is ended. */
export interface Watching {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves once stdout has this, from its end so far on. */
  shows(text: string | RegExp): Promise<void>;
  /** The same of stderr. */
  tells(text: string | RegExp): Promise<void>;
  /** Sends the signal, Ctrl-C by default, and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<Run>;
  /** Waits until it ends by itself. */
  ended(): Promise<Run>;
}

/** Starts the built command line with its streams on pipes; stdin ends at once, unless a test writes to it. */
export function startWatching(
  line: string,
  env: Readonly<Record<string, string>>,
  stdin: 'nothing' | 'pipe' = 'nothing',
): Watching {
  const child = spawn(process.execPath, [bin, ...wordsOf(line)], {
    cwd: root,
    env: { ...bareEnvironment, ...env },
  });
  const texts = { stdout: '', stderr: '' };
  const seen = { stdout: 0, stderr: 0 };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  if (stdin === 'nothing') child.stdin.end();
  const closed = once(child, 'close');
  const until = (name: keyof typeof texts) => (text: string | RegExp) =>
    eventually(`${line}: ${text} in ${name}, which has ${texts[name]}`, async () => {
      const rest = texts[name].slice(seen[name]);
      const at = typeof text === 'string' ? rest.indexOf(text) : rest.search(text);
      if (at < 0) return undefined;
      seen[name] = texts[name].length;
      return true;
    }).then(() => undefined);
  const ended = async () => {
    const [code] = await closed;
    return { code, ...texts };
  };
  return {
    child,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    shows: until('stdout'),
    tells: until('stderr'),
    end: (signal = 'SIGINT') => {
      child.kill(signal);
      return ended();
    },
    ended,
  };
}

/** Runs it, and sends it a signal, Ctrl-C by default, as soon as stdout shows `at`. */
export async function interruptGc(
  line: string,
  at: string,
  env: Readonly<Record<string, string>>,
  signal?: NodeJS.Signals,
): Promise<Run> {
  const command = startWatching(line, env);
  await command.shows(at);
  return command.end(signal);
}

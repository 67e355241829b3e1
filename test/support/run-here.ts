import { vi } from 'vitest';
// Loaded before the streams are replaced: oclif looks at them when it is.
import '../../src/shell/oclif/run-line.ts';
import { main } from '../../src/main.ts';
import { backups, type Run, root, wordsOf } from './command-line.ts';

/** What decides how an answer looks, or where it comes from, is as the test says, and else unset. */
const setHere = [
  ...[
    'NO_COLOR',
    'FORCE_COLOR',
    'KUBECONFIG',
    'TERM',
    'LINES',
    'COLUMNS',
    'LC_ALL',
    'LC_CTYPE',
    'LANG',
  ],
  ...['KUBERC', 'KUBECTL_KUBERC'],
];

/**
 * Runs a command line in this process: quicker than a process each, where nothing but the text counts.
 * Not to be called twice at the same time, as it listens to the streams of the process.
 */
export async function gcHere(
  line: string | readonly string[],
  env: Readonly<Record<string, string>> = { NO_COLOR: '1' },
  /** How wide the terminal is that stdout pretends to be; none by default. */
  columns?: number,
): Promise<Run> {
  const { code, stdout, stderr } = await runHere(line, env, columns);
  return { code, stdout, stderr };
}

/** The same, both streams as a terminal would show them. */
export async function printedHere(
  line: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  return (await runHere(line, env)).printed;
}

async function runHere(
  line: string | readonly string[],
  env: Readonly<Record<string, string>>,
  columns?: number,
): Promise<Run & { readonly printed: string }> {
  const { isTTY, columns: width } = process.stdout;
  Object.assign(process.stdout, { isTTY: columns !== undefined, columns });
  const printed: string[] = [];
  const stdout = listenTo(process.stdout, printed);
  const stderr = listenTo(process.stderr, printed);
  const { exitCode } = process;
  // oclif leaves the code of an error behind.
  process.exitCode = undefined;
  for (const name of setHere) vi.stubEnv(name, env[name]);
  // Without -n, the namespace of this machine's kubeconfig would count.
  vi.stubEnv('KUBECONFIG', env.KUBECONFIG ?? '/nonexistent/kubeconfig');
  const { KUBECTL_GC_BACKUP_DIR = process.env.KUBECTL_GC_BACKUP_DIR ?? backups } = env;
  vi.stubEnv('KUBECTL_GC_BACKUP_DIR', KUBECTL_GC_BACKUP_DIR);
  try {
    const code = await main(typeof line === 'string' ? wordsOf(line) : [...line], root);
    return { code, stdout: stdout.text(), stderr: stderr.text(), printed: printed.join('') };
  } finally {
    process.exitCode = exitCode;
    Object.assign(process.stdout, { isTTY, columns: width });
    vi.unstubAllEnvs();
    stdout.restore();
    stderr.restore();
  }
}

function listenTo(stream: NodeJS.WriteStream, all: string[]): { text(): string; restore(): void } {
  const written: string[] = [];
  const spy = vi.spyOn(stream, 'write').mockImplementation(((
    chunk: string,
    done?: (error?: Error) => void,
  ) => {
    written.push(chunk);
    all.push(chunk);
    done?.();
    return true;
  }) as typeof stream.write);
  return { text: () => written.join(''), restore: () => spy.mockRestore() };
}

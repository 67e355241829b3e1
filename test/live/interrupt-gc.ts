import type { Run } from '../support/command-line.ts';
import { startWatching } from '../support/watching.ts';

/** Runs the built command line, and sends it a signal, Ctrl-C by default, as soon as stdout shows `at`. */
export async function interruptGc(
  line: string,
  at: string,
  env: Readonly<Record<string, string>>,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<Run> {
  const command = startWatching(line, env);
  await command.shows(at);
  return command.end(signal);
}

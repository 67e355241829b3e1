// What it costs to save all that commands read, beside metadata alone.
//   node bench/save-snapshot.ts [--scale 0.1] [--rounds 5]
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Command, inTurns, report } from './in-turns.ts';
import { startLoaded } from './loaded-control-plane.ts';

const { values } = parseArgs({
  options: { scale: { type: 'string' }, rounds: { type: 'string' } },
});
const plane = await startLoaded(Number(values.scale ?? 1));
try {
  const bin = new URL('../bin/kubectl-gc.cjs', import.meta.url).pathname;
  const at = ['--kubeconfig', plane.kubeconfigPath];
  const file = (name: string) => join(plane.directory, `${name}.json.gz`);
  const save = (name: string, ...flags: string[]): Command => ({
    name: ['snapshot save', ...flags].join(' '),
    argv: [process.execPath, bin, 'snapshot', 'save', file(name), ...flags, ...at],
  });
  const audit: Command = {
    name: 'audit -A',
    argv: [
      process.execPath,
      bin,
      'audit',
      '-A',
      '--no-config',
      '--fail-on',
      'never',
      '-o',
      'json',
      ...at,
    ],
  };
  const commands = [save('whole'), audit, save('small', '--metadata-only')];
  report(await inTurns(commands, Number(values.rounds ?? 5)));
  const bytes = ['whole', 'small'].map((name) => statSync(file(name)).size);
  console.log(
    `bytes: ${bytes.join(' and ')}, ratio ${((bytes[0] ?? 0) / (bytes[1] ?? 1)).toFixed(2)}`,
  );
} finally {
  await plane.stop();
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ClusterAccess, kubeconfig } from '../test/support/cluster.ts';
import { inTurns, report } from './in-turns.ts';
import { startLoaded } from './loaded-control-plane.ts';

/**
 * What a cluster of 1,000, 10,000 and 96,000 objects costs whoever asks it, by itself and as one of several: four
 * contexts lead to the same API server, so that all four are of one size.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string' }, scales: { type: 'string' } },
});
const rounds = Number(values.rounds ?? 5);
const scales = (values.scales ?? '0.01,0.1,1').split(',').map(Number);
const contexts = ['a', 'b', 'c', 'd'];
const bin = new URL('../bin/kubectl-gc.cjs', import.meta.url).pathname;

for (const scale of scales) {
  const plane = await startLoaded(scale);
  try {
    const config = configOf(plane);
    const gc = (name: string, ...args: string[]) => ({
      name,
      argv: [process.execPath, bin, ...args, '--kubeconfig', config] as const,
    });
    const audit = ['audit', '-A', '--fail-on', 'never', '--allow-incomplete', '-o', 'json'];
    const orphans = ['orphans', '-A', '-o', 'json'];
    report(
      await inTurns(
        [
          gc('audit -A', ...audit),
          gc('audit -A, four contexts', ...audit, '--context', contexts.join(',')),
          gc('orphans -A, four contexts', ...orphans, '--context', contexts.join(',')),
          gc('orphans -A', ...orphans),
        ],
        rounds,
      ),
    );
  } finally {
    await plane.stop();
  }
}

function configOf(plane: ClusterAccess): string {
  const config = JSON.parse(kubeconfig(plane, { token: plane.adminToken }));
  const [{ context }] = config.contexts;
  const path = join(plane.directory, 'fleet.json');
  const named = contexts.map((name) => ({ name, context }));
  writeFileSync(path, JSON.stringify({ ...config, contexts: named, 'current-context': 'a' }));
  return path;
}

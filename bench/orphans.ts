// A whole loaded cluster: `orphans -A` beside curl fetching the same lists, and beside a peer.
//   node bench/orphans.ts [--scale 0.1] [--rounds 7] [--peer PATH-OF-kubectl-check-ownerreferences]
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { curlConfig } from './curl-config.ts';
import { type Command, inTurns, report } from './in-turns.ts';
import { startLoaded } from './loaded-control-plane.ts';
import { findPeer } from './peers.ts';

const { values } = parseArgs({
  options: { scale: { type: 'string' }, rounds: { type: 'string' }, peer: { type: 'string' } },
});
const rounds = Number(values.rounds ?? 7);
const plane = await startLoaded(Number(values.scale ?? 1));
try {
  const bin = new URL('../bin/kubectl-gc.cjs', import.meta.url).pathname;
  const gc = (...flags: string[]): Command['argv'] => [
    process.execPath,
    bin,
    'orphans',
    '-A',
    '-o',
    'name',
    '--kubeconfig',
    plane.kubeconfigPath,
    ...flags,
  ];
  const config = await curlConfig(plane, '', join(plane.directory, 'curl.conf'));
  const receive = new URL('receive.mjs', import.meta.url).pathname;
  console.log('\nuncompressed');
  await turns([
    { name: 'kubectl gc orphans -A', argv: gc('--disable-compression') },
    { name: 'node, receiving only', argv: [process.execPath, receive, config] },
    { name: 'curl, the same lists', argv: ['curl', '--config', config] },
  ]);
  console.log('\nas the command chooses, beside curl with gzip');
  await turns([
    { name: 'kubectl gc orphans -A', argv: gc() },
    { name: 'curl, the same lists', argv: ['curl', '--config', config, '--compressed'] },
  ]);
} finally {
  await plane.stop();
}

async function turns(commands: readonly [Command, ...Command[]]) {
  report(await inTurns(commands, rounds));
  const peer = values.peer ?? findPeer('kubectl-check-ownerreferences');
  if (peer === undefined) return;
  // The peer takes long, so it gets fewer turns, and with us alone.
  const argv = [peer, '--kubeconfig', plane.kubeconfigPath] as const;
  report(await inTurns([commands[0], { name: 'kubectl-check-ownerreferences', argv }], 2));
}

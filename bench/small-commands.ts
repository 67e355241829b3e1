// Questions about one Deployment, and deletions of one object and of one Deployment, beside peers and kubectl.
//   npm run build && node bench/small-commands.ts [--rounds 15]
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type Command, inTurns, report } from './in-turns.ts';
import { findPeer } from './peers.ts';
import { requestsOf } from './sent-requests.ts';
import { namespace, startSmall } from './small-control-plane.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string' } } });
const rounds = Number(values.rounds ?? 15);

const { plane, gc, kubectl, line, makeDeployment, makeConfigMap, namesOf } = await startSmall();
try {
  await questions();
  await deletions();
} finally {
  await plane.stop();
}

async function questions() {
  const peer = findPeer('kubectl-tree');
  const tree = gc('tree', 'tree deployment/web');
  const preview = gc('delete --preview', 'delete deployment/web --preview');
  const peers = peer
    ? [line('kubectl-tree', [peer, 'deployment', 'web', '-n', namespace])]
    : [kubectl('get deployment', 'get deployment web')];
  for (const command of peer ? [tree, preview, ...peers] : [tree, preview])
    await expectAll(command);
  console.log('\nwhat one Deployment owns');
  report(await inTurns([tree, preview, ...peers], rounds));
  for (const { name, argv } of [tree, preview]) {
    console.log(`${name}: ${(await requestsOf(plane, argv)).length} requests`);
  }
}

/** A right answer names the Deployment, its ReplicaSet and its pods. */
async function expectAll({ name, argv: [file, ...args], env }: Command) {
  const options = { env: { ...process.env, ...env }, encoding: 'utf8' } as const;
  const text = execFileSync(file, args, options);
  const wrong = [...(await namesOf('replicasets')), ...(await namesOf('pods')), 'web'].filter(
    (one) => !text.includes(one),
  );
  console.log(`${name}: ${wrong.length === 0 ? 'right' : `wrong: lacks ${wrong.join(', ')}`}`);
}

async function deletions() {
  console.log('\nto delete a ConfigMap');
  report(
    await inTurns(
      [
        gc('delete', 'delete configmap/one --yes', makeConfigMap),
        kubectl('delete', 'delete configmap/one', makeConfigMap),
      ],
      rounds,
    ),
  );
  // kubectl in the background returns before the pods are gone: in the foreground both wait for the same.
  const foreground = 'deployment/web --cascade=foreground';
  console.log('\nto delete a Deployment with a ReplicaSet and three pods, until all are gone');
  report(
    await inTurns(
      [
        gc('delete', `delete ${foreground} --yes --no-backup`, makeDeployment),
        kubectl('delete', `delete ${foreground}`, makeDeployment),
      ],
      rounds,
    ),
  );
}

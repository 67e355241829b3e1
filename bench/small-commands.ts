// Questions about one Deployment, and deletions of one object and of one Deployment, beside peers and kubectl.
//   npm run build && node bench/small-commands.ts [--rounds 15]
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { KubeObject } from '../src/kube/record-codec.ts';
import { startControlPlane } from '../test/support/control-plane.ts';
import { eventually } from '../test/support/eventually.ts';
import { requestsOf } from './count-requests.ts';
import { type Command, inTurns, report } from './in-turns.ts';
import { findPeer } from './peers.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string' } } });
const rounds = Number(values.rounds ?? 15);
const bin = new URL('../bin/kubectl-gc.cjs', import.meta.url).pathname;
const namespace = 'bench';
const controllers = ['deployment', 'replicaset', 'garbage-collector', 'serviceaccount'];

const plane = await startControlPlane({
  controllers: controllers.map((name) => `${name}-controller`),
});
try {
  await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
  await makeDeployment();
  await questions();
  await deletions();
} finally {
  await plane.stop();
}

function line(name: string, argv: Command['argv'], prepare?: () => Promise<void>): Command {
  const command = { name, argv, env: { KUBECONFIG: plane.kubeconfigPath } };
  return prepare ? { ...command, prepare } : command;
}

function gc(name: string, args: string, prepare?: () => Promise<void>): Command {
  const argv = [process.execPath, bin, ...args.split(' '), '-n', namespace] as const;
  return line(`kubectl gc ${name}`, argv, prepare);
}

function kubectl(name: string, args: string, prepare?: () => Promise<void>): Command {
  const argv = [join(plane.binaries, 'kubectl'), ...args.split(' '), '-n', namespace] as const;
  return line(`kubectl ${name}`, argv, prepare);
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
  const configMap = async () => {
    await plane.request(`/api/v1/namespaces/${namespace}/configmaps`, {
      method: 'POST',
      body: { metadata: { name: 'one' } },
    });
  };
  console.log('\nto delete a ConfigMap');
  report(
    await inTurns(
      [
        gc('delete', 'delete configmap/one --yes', configMap),
        kubectl('delete', 'delete configmap/one', configMap),
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

async function makeDeployment() {
  const labels = { app: 'web' };
  const containers = [{ name: 'c', image: 'x' }];
  const template = { metadata: { labels }, spec: { containers } };
  await plane.request(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
    method: 'POST',
    body: {
      metadata: { name: 'web' },
      spec: { replicas: 3, selector: { matchLabels: labels }, template },
    },
  });
  await eventually('three pods', async () => (await namesOf('pods')).length === 3 || undefined);
}

async function namesOf(resource: 'pods' | 'replicasets'): Promise<string[]> {
  const root = resource === 'pods' ? '/api/v1' : '/apis/apps/v1';
  const path = `${root}/namespaces/${namespace}/${resource}`;
  const { items } = await plane.get<{ items: KubeObject[] }>(path);
  return items.map(({ metadata }) => String(metadata.name));
}

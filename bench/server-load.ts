// What each command asks of the API server: requests by sort, bytes, and the priority level that API Priority and
// Fairness gives them, for a user who is cluster-admin by a role; a table for docs/server-load.md.
//   npm run build && node bench/server-load.ts [--scale 0.25]
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { KubeObject } from '../src/kube/record-codec.ts';
import { readyNode, stuckNamespace } from './loaded-cluster.ts';
import { load, startLoaded } from './loaded-control-plane.ts';
import { requestsOf, type SentRequest } from './sent-requests.ts';

const { values } = parseArgs({ options: { scale: { type: 'string', default: '0.25' } } });
const user = { user: 'jane', token: 'jane-of-the-bench' };
const bin = new URL('../bin/kubectl-gc.cjs', import.meta.url).pathname;

const sorts = [
  'discovery',
  'lists',
  'objects',
  'watches',
  'reviews and dry runs',
  'writes',
] as const;

const commands = [
  'status',
  'why -A',
  'why namespace/stuck',
  'why --gc',
  'owners deployment/app-0 -n team-0',
  'tree deployment/app-0 -n team-0',
  'orphans -n team-0',
  'orphans -A',
  'invalid-ownerrefs -n team-0',
  'invalid-ownerrefs -A',
  'audit',
  'audit -n team-0',
  'forecast',
  'podgc-preview',
  'simulate deployment/app-0 -n team-0',
  'delete deployment/app-0 -n team-0 --preview',
  'delete namespace/team-0 --preview',
  'deleted configmap/lost -n team-0',
  'settings',
  'report',
  'snapshot save FILE',
  'delete deployment/app-1 -n team-0 --yes --no-backup --wait=false',
];

const plane = await startLoaded(Number(values.scale), [user]);
try {
  await load(plane, [readyNode(), ...stuckNamespace('stuck', 100)].values());
  await plane.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: user.user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user.user }],
  });
  const file = join(plane.directory, 'server-load.json.gz');
  const levels = await levelsOfFlowSchemas();
  const columns = [...sorts, 'all', 'KiB', 'largest, KiB', 'priority levels'];
  console.log(`| command | ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length + 1)}`);
  for (const command of commands) {
    const argv = [process.execPath, bin, ...command.replace('FILE', file).split(' ')] as const;
    const requests = await requestsOf(plane, argv, { token: user.token, codes: [0, 1, 3] });
    console.log(`| \`${command}\` | ${rowOf(requests, levels).join(' | ')} |`);
  }
} finally {
  await plane.stop();
}

function rowOf(requests: readonly SentRequest[], levels: ReadonlyMap<string, string>) {
  const counts = sorts.map((sort) => requests.filter((request) => sortOf(request) === sort).length);
  const bytes = requests.map(({ received }) => received);
  const total = bytes.reduce((sum, size) => sum + size, 0);
  const used = new Set(
    requests.map(({ flowSchema }) => levels.get(flowSchema ?? '') ?? 'not queued'),
  );
  return [...counts, requests.length, kib(total), kib(Math.max(0, ...bytes)), [...used].join(', ')];
}

function sortOf({ method, url, body }: SentRequest): (typeof sorts)[number] {
  const { pathname, searchParams } = new URL(url, plane.server);
  if (method !== 'GET') {
    const isQuestion = /reviews$/.test(pathname) || searchParams.has('dryRun');
    return isQuestion || body.includes('"dryRun"') ? 'reviews and dry runs' : 'writes';
  }
  if (searchParams.has('watch')) return 'watches';
  // What is left of /apis/apps/v1/namespaces/shop/pods/web-1: a list has one or three words, an object two or four.
  const words = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(.+)$/.exec(pathname)?.[1]?.split('/');
  if (words === undefined) return 'discovery';
  return words.length % 2 === 1 ? 'lists' : 'objects';
}

function kib(bytes: number): string {
  return Math.ceil(bytes / 1024).toLocaleString('en');
}

/** By the uid of a FlowSchema: the name of its priority level. */
async function levelsOfFlowSchemas(): Promise<ReadonlyMap<string, string>> {
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
  const { items } = await plane.get<{ items: FlowSchema[] }>(path);
  return new Map(
    items.map(({ metadata, spec }) => [String(metadata.uid), spec.priorityLevelConfiguration.name]),
  );
}

interface FlowSchema extends KubeObject {
  readonly spec: { readonly priorityLevelConfiguration: { readonly name: string } };
}

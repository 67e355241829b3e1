import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { root } from '../support/command-line.ts';
import { exampleDefinitions } from '../support/custom-resources.ts';
import { helm } from '../support/deploy-tools.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { hasTools } from '../support/has-tools.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { claimSpec, volumeSpec } from '../support/volumes.ts';
import { workload } from '../support/workload.ts';
import { guardPage, type StartedGuard, startGuard } from './guard-stage.ts';
import { randomFrom } from './seeded-random.ts';

/**
 * The guard on a real API server with all controllers, each with an account of its own, installed as docs/guard.md does and
 * with the permissions of its ServiceAccount. No kubelet runs, so the test starts its process.
 */
const folder = temporaryFolder();
const auditLog = join(folder, 'audit.log');
const rulesFile = join(folder, 'rules.yaml');
const policyFile = join(folder, 'audit-policy.json');
writeFileSync(
  policyFile,
  JSON.stringify({
    ...{ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'] },
    rules: [
      { level: 'Request', verbs: ['create', 'update', 'patch', 'delete'] },
      { level: 'Metadata' },
    ],
  }),
);
const plane = await ownControlPlane({
  controllers: 'none',
  definitions: exampleDefinitions,
  apiServerArgs: [
    `--audit-policy-file=${policyFile}`,
    `--audit-log-path=${auditLog}`,
    // Megabytes: the test reads one file, which is not rotated.
    '--audit-log-maxsize=100000',
  ],
});
const manager = plane.kubeconfigFor({ user: 'system:kube-controller-manager' });
await plane.startControllers(
  ['*'],
  [`--kubeconfig=${manager}`, '--use-service-account-credentials=true'],
);
const alice = plane.kubeconfigFor({ user: 'alice', groups: ['system:masters'] });

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly name?: string; readonly namespace?: string };
  readonly annotations?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
}

const events: AuditEvent[] = [];
let bytesRead = 0;

/** All events so far; each line is read once. */
function auditEvents(): readonly AuditEvent[] {
  const unread = readFileSync(auditLog).subarray(bytesRead);
  const end = unread.lastIndexOf('\n') + 1;
  bytesRead += end;
  for (const line of unread.toString('utf8', 0, end).split('\n').slice(0, -1))
    events.push(JSON.parse(line));
  return events;
}

const isJudged = ({ annotations = {} }: AuditEvent) =>
  Object.keys(annotations).some((name) => name.startsWith('guard.kubectl-gc.io/'));

/** As kubectl prints it for alice: warnings and refusals, then what was done. */
async function kubectl(line: string, input = '') {
  const env = { KUBECTL_APPLYSET: 'true' };
  const options = { kubeconfig: alice, input, env };
  const { stdout, stderr } = await plane.kubectl(line.split(' '), options);
  return `${stderr}${stdout}`;
}

/** Runs a line of the page as it stands; in a pipeline, each command reads what the one before it printed. */
async function runLine(line: string): Promise<string> {
  let printed = '';
  for (const command of line.split(' | ')) {
    printed = await kubectl(
      command
        .replace(/^kubectl /, '')
        .replace(/ (deploy|examples)\//g, ` ${root}/$1/`)
        .replaceAll('=examples/', `=${root}/examples/`),
      printed,
    );
  }
  return printed;
}

async function useRules(...rules: readonly object[]): Promise<void> {
  writeFileSync(rulesFile, stringify({ apiVersion: 'kubectl-gc/v1', kind: 'GuardRules', rules }));
  await guard.process.tells('New rules are in effect');
}

/** `GUARD_CASES=500` plays as many. */
const cases = Number(process.env.GUARD_CASES ?? 10);
const lanes = 8;

let guard: StartedGuard;
const page = guardPage();

beforeAll(async () => {
  await plane.make('Namespace shop');
  await plane.make('Deployment shop/web', workload('web'));
  for (const name of ['settings', 'texts']) await plane.make(`ConfigMap shop/${name}`);
  await eventually('what controllers make', async () => {
    const made = await Promise.all(
      ['Pod', 'ConfigMap', 'ServiceAccount'].map((kind) => plane.names(`${kind} shop/`)),
    );
    return made.flat().length === 5;
  });
  expect(await runLine(page.install)).not.toMatch(/error/i);
  const token = await plane.serviceAccountToken('kubectl-gc', 'kubectl-gc-guard');
  writeFileSync(
    rulesFile,
    stringify({ apiVersion: 'kubectl-gc/v1', kind: 'GuardRules', rules: [] }),
  );
  guard = await startGuard(plane, { rules: rulesFile, kubeconfig: plane.kubeconfigFor({ token }) });
});
afterAll(() => guard?.process.child.kill('SIGKILL'));

test('the page leads from nothing to a refused deletion, its approval and the end of the guard', async () => {
  expect(await runLine(page.preview.command)).toBe(page.preview.printed);
  await runLine(page.configure);
  const { data } = await plane.get<{ data: Record<string, string> }>(
    '/api/v1/namespaces/kubectl-gc/configmaps/kubectl-gc-guard',
  );
  writeFileSync(rulesFile, data['rules.yaml'] ?? '');
  await guard.process.tells('New rules are in effect: 2');
  expect(await runLine(page.refused.command)).toBe(page.refused.printed);
  await runLine(page.approve);
  expect(await runLine(page.refused.command)).toMatch(/namespace "shop" deleted\n$/);
});

describe('a deletion', () => {
  beforeAll(async () => {
    await useRules();
    await plane.make('Namespace team');
    await plane.make('Deployment team/web', workload('web'));
    await plane.make('ConfigMap team/alone');
    await eventually('a pod', async () => (await plane.names('Pod team/')).length === 1);
  });

  test.each([
    ['background', 'Warning: 3 objects will be deleted: 1 Deployment, 1 Pod, 1 ReplicaSet.\n'],
    ['foreground', 'Warning: 3 objects will be deleted: 1 Deployment, 1 Pod, 1 ReplicaSet.\n'],
    [
      'orphan',
      'Warning: 1 object will be deleted: 1 Deployment.\nWarning: 1 will be orphaned: 1 ReplicaSet.\n',
    ],
  ])('with --cascade=%s is judged by that policy', async (way, warning) => {
    const line = `delete deployment web -n team --cascade=${way} --dry-run=server`;
    expect(await kubectl(line)).toBe(
      `${warning}deployment.apps "web" deleted from team namespace (server dry run)\n`,
    );
  });

  test('of one object alone is not warned of', async () => {
    expect(await kubectl('delete configmap alone -n team --dry-run=server')).toBe(
      'configmap "alone" deleted from team namespace (server dry run)\n',
    );
  });

  test('of a collection is warned of object by object, and what a rule refuses stays', async () => {
    const { uid } = (
      await plane.make('ConfigMap team/first', { metadata: { labels: { set: 'one' } } })
    ).metadata;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'first', uid };
    await plane.make('ConfigMap team/of-first', { metadata: { ownerReferences: [owner] } });
    const labels = { set: 'one', 'kubectl-gc.io/protected': 'true' };
    await plane.make('ConfigMap team/second', { metadata: { labels } });
    const all = '/api/v1/namespaces/team/configmaps?labelSelector=set%3Done';
    await eventually('the warning', async () =>
      (await kubectl(`delete --raw ${all}&dryRun=All`)).startsWith(
        'Warning: 2 objects will be deleted: 2 ConfigMaps.\n',
      ),
    );
    await useRules({ name: 'kept', when: 'protected', action: 'deny' });
    expect((await plane.remove(all)).body).toContain(
      'rule kept refuses the deletion of ConfigMap second in namespace team',
    );
    expect(await plane.names('ConfigMap team/')).toContain('second');
  });

  test('of a definition with instances is refused by a rule, and of one without is not', async () => {
    await useRules({ name: 'instances', when: 'definition-with-instances', action: 'deny' });
    const line = 'delete crd widgets.example.com --dry-run=server';
    expect(await kubectl(line)).toMatch(/deleted \(server dry run\)\n$/);
    await plane.make('Widget team/one');
    await eventually('the refusal', async () =>
      (await kubectl(line)).includes('rule instances refuses'),
    );
  });

  test('that loses the data of a volume is refused by a rule, and one that keeps it is not', async () => {
    await useRules({ name: 'data', when: 'volume-data', action: 'deny' });
    for (const persistentVolumeReclaimPolicy of ['Retain', 'Delete']) {
      const name = persistentVolumeReclaimPolicy.toLowerCase();
      const claimRef = { namespace: 'team', name };
      const spec = volumeSpec(name, { persistentVolumeReclaimPolicy, claimRef });
      await plane.make(`PersistentVolume ${name}`, { spec });
      const claim = { spec: { ...claimSpec, volumeName: name } };
      await plane.make(`PersistentVolumeClaim team/${name}`, claim);
    }
    const line = (name: string) => `delete pvc ${name} -n team --dry-run=server`;
    await eventually('the refusal', async () =>
      (await kubectl(line('delete'))).includes('rule data refuses'),
    );
    expect(await kubectl(line('retain'))).toMatch(
      /deleted from team namespace \(server dry run\)\n$/,
    );
  });

  test('of a program whose finalizer objects still have is refused by a rule', async () => {
    await useRules({ name: 'order', when: 'program-before-objects', action: 'deny' });
    await plane.make('Namespace operators');
    const name = 'widgets-operator';
    await plane.make(`Deployment operators/${name}`, workload(name, { replicas: 0 }));
    const line = `delete deployment ${name} -n operators --dry-run=server`;
    await eventually('the deployment', async () => (await kubectl(line)).includes('dry run'));
    const finalizers = ['widgets.example.com/cleanup'];
    await plane.make('Widget operators/held', { metadata: { finalizers } });
    await eventually('the refusal', async () =>
      (await kubectl(line)).includes('rule order refuses'),
    );
    await plane.patch('Widget operators/held', { metadata: { finalizers: null } });
    await eventually('no refusal', async () => (await kubectl(line)).endsWith('dry run)\n'));
  });

  test('that asks for more objects than a rule allows is refused for the users that it names', async () => {
    const rule = { name: 'few', when: 'many-objects', moreThan: 2, action: 'deny' };
    await useRules({ ...rule, users: ['al*'] });
    const line = ['delete', 'deployment', 'web', '-n', 'team', '--dry-run=server'];
    expect(await kubectl(line.join(' '))).toContain(
      'rule few refuses the deletion of Deployment web in namespace team: 3 objects would be deleted, and 2 are allowed',
    );
    const bob = plane.kubeconfigFor({ user: 'bob', groups: ['system:masters'] });
    expect((await plane.kubectl(line, { kubeconfig: bob })).code).toBe(0);
  });

  test('by kubectl gc delete is refused as that of kubectl is, and passes once it is approved', async () => {
    await useRules({ name: 'spaces', when: 'namespace', action: 'deny' });
    await plane.make('Namespace planned');
    await plane.make('ConfigMap planned/one');
    const env = { KUBECONFIG: alice, KUBECACHEDIR: folder };
    const refused = await gc('delete namespace/planned --yes', { env });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr + refused.stdout).toContain('rule spaces refuses');
    expect(await plane.names('ConfigMap planned/')).toContain('one');
    const until = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '');
    await kubectl(
      `annotate namespace planned kubectl-gc.io/deletion-approved-for=alice kubectl-gc.io/deletion-approved-until=${until}`,
    );
    const approved = await gc('delete namespace/planned --yes', { env });
    expect([approved.code, approved.stderr]).toEqual([0, expect.any(String)]);
    await untilGone(plane, 'Namespace planned');
  });

  test('of what controllers delete is never judged, and none of their requests is refused', async () => {
    await useRules({ name: 'none', when: 'many-objects', moreThan: 0, action: 'deny' });
    const until = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '');
    await kubectl(
      `annotate namespace team kubectl-gc.io/deletion-approved-for=alice kubectl-gc.io/deletion-approved-until=${until}`,
    );
    expect(await kubectl('delete namespace team --timeout=60s')).toContain('"team" deleted');
    await untilGone(plane, 'Namespace team');
    const judged = auditEvents().filter(isJudged);
    expect(judged.length).toBeGreaterThan(8);
    expect(judged.filter(({ user }) => user.username.startsWith('system:'))).toEqual([]);
    const refused = auditEvents().filter(({ responseStatus }) =>
      responseStatus?.message?.includes('guard.kubectl-gc.io'),
    );
    expect(refused.filter(({ user }) => user.username.startsWith('system:'))).toEqual([]);
    const last = judged.findLast(({ objectRef }) => objectRef?.name === 'team');
    expect(last?.annotations).toMatchObject({
      'guard.kubectl-gc.io/verdict': 'approved',
      'guard.kubectl-gc.io/rules': 'none',
    });
    const env = { KUBECONFIG: plane.kubeconfigPath };
    const history = await gc(`deleted namespace/team --audit-log ${auditLog} -o json`, { env });
    expect(history.stdout).toContain('the guard answered approved: it would delete');
  });

  test('by server-side apply with prune, or by helm uninstall, is refused as that of kubectl is', async () => {
    await useRules({ name: 'kept', when: 'protected', action: 'deny' });
    await plane.make('Namespace tools');
    const labels = { tool: 'both', 'kubectl-gc.io/protected': 'true' };
    const manifest = (name: string) => ({
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: { name, namespace: 'tools', labels },
    });
    const apply = 'apply -n tools --server-side --prune --applyset=set -f -';
    const both = [manifest('first'), manifest('second')].map((one) => JSON.stringify(one));
    expect(await kubectl(apply, both.join('\n---\n'))).toContain('second serverside-applied');
    expect(await kubectl(apply, both[0])).toContain('rule kept refuses the deletion');
    if (!hasTools('unzip')) return;
    const chart = join(folder, 'chart');
    mkdirSync(join(chart, 'templates'), { recursive: true });
    writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: kept\nversion: 1.0.0\n');
    writeFileSync(join(chart, 'templates/one.yaml'), stringify(manifest('of-helm')));
    const env = { ...process.env, KUBECONFIG: alice, HOME: folder };
    const run = promisify(execFile);
    await run(helm(), ['install', 'kept', chart, '--namespace', 'tools'], { env });
    const failed = run(helm(), ['uninstall', 'kept', '--namespace', 'tools'], { env });
    await expect(failed).rejects.toThrow('failed to delete release: kept');
    expect(await plane.names('ConfigMap tools/')).toContain('of-helm');
    await useRules({ name: 'warned', when: 'protected', action: 'warn' });
    const { stderr } = await run(helm(), ['uninstall', 'kept', '--namespace', 'tools'], { env });
    expect(stderr).toContain('Rule warned warns of this deletion.');
  });

  test(`of random objects of several kinds deletes no more than was said, ${cases} times`, {
    timeout: 60_000 + cases * 10_000,
  }, async () => {
    await useRules();
    const judged: unknown[][] = [];
    const lane = async (first: number) => {
      for (let at = first; at < cases; at += lanes) {
        const more = await deleteAtRandom(at);
        if (more) judged.push(more);
      }
    };
    await Promise.all(Array.from({ length: lanes }, (_, at) => lane(at)));
    console.log(`guard: ${judged.length} of ${cases} random deletions were judged in time`);
    expect(judged.flat()).toEqual([]);
    expect(judged.length).toBeGreaterThan(cases / 2);
  });
});

/** Kinds that own each other at random; what Deployments and Jobs own is made by their controllers. */
const content = {
  ConfigMap: {},
  Secret: {},
  ServiceAccount: {},
  Role: { rules: [] },
  Widget: {},
  PersistentVolumeClaim: { spec: claimSpec },
  Deployment: workload('web'),
  Job: {
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'x', image: 'x' }] } },
    },
  },
};
type Kind = keyof typeof content;
const ownKinds = Object.keys(content) as Kind[];
const countedKinds = [...ownKinds, 'ReplicaSet', 'Pod'];

async function objectsIn(namespace: string): Promise<Map<unknown, string>> {
  const lists = await Promise.all(countedKinds.map((kind) => plane.list(`${kind} ${namespace}/`)));
  return new Map(lists.flat().map(({ kind, metadata }) => [metadata.uid, `${kind}`]));
}

/** `3 Pods, 1 Job` as numbers by kind. */
function countsIn(words: string): Map<string, number> {
  return new Map(
    words.split(', ').map((part) => {
      const [count, kind = ''] = part.split(' ');
      return [kind.replace(/s$/, ''), Number(count)];
    }),
  );
}

/** Deletes one of some objects of several kinds; answers of which more were deleted than the guard had said; undefined where it was not asked in time. */
async function deleteAtRandom(seed: number): Promise<unknown[] | undefined> {
  const random = randomFrom(seed + 77);
  for (let skip = 0; skip < 5; skip++) random(2);
  const namespace = `dice-${seed}`;
  await plane.make(`Namespace ${namespace}`);
  const made: KubeObject[] = [];
  for (let index = 0; index < 12; index++) {
    const kind = ownKinds[random(ownKinds.length)] ?? 'ConfigMap';
    const owners = index === 0 ? 0 : random(3);
    const chosen = new Set(Array.from({ length: owners }, () => random(index)));
    const ownerReferences = [...chosen].flatMap((at) => {
      const { apiVersion, kind: ownerKind, metadata } = made[at] ?? {};
      if (!metadata) return [];
      const { name, uid } = metadata;
      const blockOwnerDeletion = random(2) === 0;
      return [{ apiVersion, kind: ownerKind, name, uid, blockOwnerDeletion }];
    });
    const name = `one-${index}`;
    const { metadata, ...rest } = { metadata: {}, ...content[kind] };
    made.push(
      await plane.make(`${kind} ${namespace}/${name}`, {
        ...rest,
        metadata: { ...metadata, name, ownerReferences },
      }),
    );
  }
  const target = made[random(6)];
  const kind = `${target?.kind}`;
  const name = `${target?.metadata.name}`;
  const way = ['background', 'foreground', 'orphan'][random(3)];
  const before = await untilQuiet(namespace);
  await kubectl(`delete ${kind} ${name} -n ${namespace} --cascade=${way} --wait=false`);
  const left = await untilQuiet(namespace);
  const event = auditEvents().findLast(
    ({ verb, objectRef }) =>
      verb === 'delete' && objectRef?.namespace === namespace && objectRef.name === name,
  );
  if (!event) throw new Error(`the audit log does not contain the deletion of seed ${seed}`);
  const { annotations = {} } = event;
  await plane.remove(`Namespace ${namespace}`);
  // On a busy machine the guard may answer too late: then the API server passes the request, and notes that.
  if (Object.keys(annotations).some((key) => key.startsWith(failedOpen))) return undefined;
  const noted = countsIn(annotations['guard.kubectl-gc.io/kinds'] ?? '');
  const gone = Map.groupBy(
    [...before].filter(([uid]) => !left.has(uid)),
    ([, goneKind]) => goneKind,
  );
  return [...gone].flatMap(([goneKind, { length }]) => {
    const said = noted.get(goneKind) ?? 0;
    return said >= length ? [] : [{ seed, kind, name, way, goneKind, said, length }];
  });
}

/** What is there once no object was created or deleted for two seconds. */
async function untilQuiet(namespace: string): Promise<Map<unknown, string>> {
  let known = await objectsIn(namespace);
  for (let quiet = 0; quiet < 8; quiet++) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const now = await objectsIn(namespace);
    if ([...now.keys()].join() !== [...known.keys()].join()) quiet = 0;
    known = now;
  }
  return known;
}

const failedOpen = 'failed-open.validating.webhook.admission.k8s.io/';

describe('a guard that', () => {
  const line = 'delete configmap guard-probe -n default --dry-run=server';
  /** What kubectl prints, and how long the API server took. */
  async function timed() {
    await kubectl(line);
    const began = performance.now();
    const printed = await kubectl(line);
    return { printed, took: performance.now() - began };
  }

  test('that does not answer delays a deletion by a second at most', async () => {
    guard.process.child.kill('SIGSTOP');
    const { printed, took } = await timed();
    guard.process.child.kill('SIGCONT');
    expect(printed).toBe(
      'configmap "guard-probe" deleted from default namespace (server dry run)\n',
    );
    // kubectl itself takes a part of it.
    expect(took).toBeLessThan(10_000);
  });

  test('is killed refuses nothing, and answers again once it runs and is trusted', async () => {
    guard.process.child.kill('SIGKILL');
    await guard.process.ended();
    expect(await kubectl(line)).toBe(
      'configmap "guard-probe" deleted from default namespace (server dry run)\n',
    );
    const { kubeconfig, port } = guard;
    guard = await startGuard(plane, { kubeconfig, port });
    expect(await kubectl(line)).toMatch(/^Warning: 2 objects will be deleted: 2 ConfigMaps/);
  });

  test('ends by SIGTERM answers until then, and ends well', async () => {
    const ending = guard.process.end('SIGTERM');
    expect(await kubectl(line)).toMatch(/^Warning: 2 objects will be deleted/);
    expect((await ending).code).toBe(0);
  });
});

test('its namespace and its webhook configuration are deleted whether it answers or not', async () => {
  const began = auditEvents().length;
  expect(await runLine(page.uninstall)).not.toMatch(/Error|Warning/);
  await untilGone(plane, 'Namespace kubectl-gc');
  expect(auditEvents().slice(began).filter(isJudged)).toEqual([]);
  const left = await kubectl(
    'get validatingwebhookconfigurations,clusterroles,clusterrolebindings -l app.kubernetes.io/name=kubectl-gc -o name',
  );
  expect(left).toBe('');
});

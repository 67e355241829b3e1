import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { validatorOf } from '../contract/valid-document.ts';
import type { Run } from '../support/command-line.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { permit } from '../support/permissions.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { endOf, freeze, type Pod, podsOf } from './apply-stage.ts';
import { deadPods, jobObject, namespaceObject, podObject } from './dead-pods.ts';
import { onTerminal } from './on-terminal.ts';
import { startProxy, type TestProxy } from './proxy.ts';

/** What a collector would do, done by hand; the real one cleans up the same cluster beside it. */
const threshold = 20;
const collector = 'pod-garbage-collector-controller';
/** 40 s of quarantine and the passes around it (PG-15), on a machine that is slow. */
const collected = 240_000;

let hand: ControlPlane;
let real: ControlPlane;
let proxy: TestProxy;
let realStarted = 0;
const folder = temporaryFolder();

beforeAll(async () => {
  const objects = deadPods();
  real = await startControlPlane({ controllers: 'none', objects });
  await real.startControllers([collector], [`--terminated-pod-gc-threshold=${threshold}`]);
  realStarted = Date.now();
  hand = await startControlPlane({ controllers: ['garbage-collector-controller'], objects });
  proxy = await startProxy(hand);
});
afterAll(async () => {
  await proxy?.close();
  await hand?.stop();
  await real?.stop();
});
beforeEach(() => {
  proxy.before = () => undefined;
});

const env = (plane = hand) => ({
  KUBECONFIG: plane.kubeconfigPath,
  NO_COLOR: '1',
  KUBECTL_GC_BACKUP_DIR: folder,
});

function run(line: string): Promise<Run> {
  vi.stubEnv('KUBECTL_GC_BACKUP_DIR', folder);
  return gcHere(`podgc-preview ${line}`, env());
}

/** On the control plane where no other collector runs. */
function forecast(line: string): Promise<Run> {
  vi.stubEnv('KUBECTL_GC_BACKUP_DIR', folder);
  return gcHere(`forecast ${line}`, env(real));
}

async function namesIn(namespace: string): Promise<string[]> {
  return (await podsOf(hand, namespace)).map(({ metadata }) => metadata.name);
}

/** The controller needs its time: what it does is looked at last. */
test('300 dead pods: the first pass by hand, and the second', async () => {
  const line = `--threshold ${threshold} --apply --yes`;
  const first = await run(line);
  expect(first.code, first.stderr).toBe(4);
  expect(first.stderr).toMatch(/^nothing moves any more: 287 sent, 277 gone, 10 left$/m);
  expect(first.stderr).toMatch(/^Backup of 287 objects: /m);
  expect(first.stderr).toMatch(/^pod\/ended-279 in dead-a is left alone: not before /m);
  // Those that were held count from the second pass on.
  const second = await run(`${line} --no-backup`);
  expect(second.code, second.stderr).toBe(4);
  expect(second.stderr).toMatch(/^nothing moves any more: 13 sent, 3 gone, 10 left$/m);
});

test('who may not patch pods/status is told before the first request', async () => {
  await hand.putObjects([
    namespaceObject('patchless'),
    podObject('patchless', 'lone', { node: 'never', phase: 'Running' }),
  ]);
  await permit(hand, 'deleter', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['delete', 'patch'] },
  ]);
  const { code, stdout, stderr } = await run('-n patchless --apply --yes --as deleter');
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toMatch(
    /^error: patch is not permitted on pods\/status "lone" in namespace "patchless"; nothing was sent$/m,
  );
  const [lone] = await podsOf(hand, 'patchless');
  expect(lone?.status).toEqual({ phase: 'Running' });
  await permit(hand, 'blind', [
    { apiGroups: [''], resources: ['pods', 'pods/status'], verbs: ['*'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] },
  ]);
  const blind = await run('-n patchless --apply --yes --as blind');
  expect([blind.code, blind.stdout]).toEqual([0, '']);
  expect(blind.stderr).toMatch(
    /^pod\/lone in patchless is left alone: whether its Node \S+ exists was not read; /m,
  );
  expect(blind.stderr).toMatch(/^Nothing is due now in what could be read\.$/m);
});

test('what cannot be seen whole is left, unless that is allowed', async () => {
  await permit(hand, 'narrow', [
    { apiGroups: [''], resources: ['pods', 'pods/status', 'nodes'], verbs: ['*'] },
  ]);
  const refused = await run('-n patchless --apply --as narrow');
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toMatch(/^error: nothing was sent: there is no terminal to ask on$/m);
  const allowed = await run('-n patchless --apply --as narrow --yes');
  expect([allowed.code, allowed.stdout], allowed.stderr).toEqual([
    0,
    'pod "lone" force deleted from patchless namespace\n',
  ]);
});

test('a pod that does not take its status is shown with the error, and left alone', async () => {
  await freeze(hand);
  await hand.putObjects([
    namespaceObject('icy'),
    podObject('icy', 'frozen', { node: 'never', phase: 'Running' }),
    podObject('icy', 'free', { node: 'never', phase: 'Running' }),
  ]);
  await eventually('the policy is in force', async () => {
    const path = '/api/v1/namespaces/icy/pods/frozen/status?dryRun=All';
    return (await hand.merge(path, { status: { phase: 'Failed' } })).status === 422;
  });
  const rehearsed = await run('-n icy --apply --dry-run=server');
  expect([rehearsed.code, rehearsed.stdout], rehearsed.stderr).toEqual([
    3,
    'pod "free" force deleted from icy namespace (server dry run)\n',
  ]);
  expect(rehearsed.stderr).toMatch(/^Nothing was changed \(--dry-run=server\)\.$/m);
  expect(await namesIn('icy')).toEqual(['free', 'frozen']);
  const { code, stdout, stderr } = await run('-n icy --apply --yes -o json');
  expect(code, stderr).toBe(4);
  expect(stderr).toMatch(
    /^pod\/frozen in icy is left alone: the server refuses the status .*it is frozen$/m,
  );
  const validate = validatorOf('progress-event');
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const event of events) {
    validate(event);
    expect(validate.errors, JSON.stringify(event)).toBe(null);
  }
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type !== 'observed')).toEqual([
    'planned',
    'left-alone',
    'sent',
    'done',
  ]);
  expect(await namesIn('icy')).toEqual(['frozen']);
});

test('above a threshold of one’s own: limits, the question, and the work', async () => {
  const pods = Array.from({ length: 6 }, (_, index) =>
    podObject('pile', `ended-${index}`, { node: 'alive', phase: 'Succeeded', age: 10 - index }),
  );
  const kept = podObject('kube-system', 'ended', { node: 'alive', phase: 'Failed' });
  await hand.putObjects([namespaceObject('pile'), ...pods, kept]);
  const tooMany = await run('-n pile --keep 2 --apply --yes --max-deletes 3');
  expect([tooMany.code, tooMany.stdout]).toEqual([3, '']);
  expect(tooMany.stderr).toMatch(
    /^error: 4 objects would be deleted, and --max-deletes allows 3;/m,
  );
  const guarded = await run('-n kube-system --keep 0 --apply --yes');
  expect([guarded.code, guarded.stdout]).toEqual([3, '']);
  expect(guarded.stderr).toMatch(/^error: Pod ended in namespace kube-system would be deleted;/m);
  expect(guarded.stderr).toMatch(/--allow-protected/);
  const asked = 'podgc-preview -n pile --keep 2 --apply';
  const declined = await onTerminal(asked, { env: env(), columns: 120, typed: 'n\n' });
  expect(declined.code, declined.shown).toBe(0);
  expect(declined.shown).toMatch(/Delete these 4 objects\? \(y\/N\): /);
  expect(declined.shown).toMatch(/6 pods of pile have ended and 2 may stay/);
  expect(await namesIn('pile')).toHaveLength(6);
  const agreed = await onTerminal(asked, { env: env(), columns: 120, typed: 'y\n' });
  expect(agreed.code, agreed.shown).toBe(0);
  expect(agreed.shown).toMatch(/everything planned to go is gone: 4 sent, 4 gone/);
  expect(await namesIn('pile')).toEqual(['ended-4', 'ended-5']);
});

test('forecast: finished Jobs whose time is up, and not those whose time is to come', async () => {
  await real.putObjects([
    namespaceObject('jobs'),
    jobObject('jobs', 'past', 60),
    jobObject('jobs', 'later', 7200),
  ]);
  const line = '--collector ttl-after-finished -n jobs --apply --yes --wait=false';
  const rehearsed = await forecast(`${line} --dry-run=server`);
  expect([rehearsed.code, rehearsed.stdout], rehearsed.stderr).toEqual([
    0,
    'job.batch "past" deleted from jobs namespace (server dry run)\n',
  ]);
  const { code, stdout, stderr } = await forecast(line);
  expect([code, stdout], stderr).toEqual([0, 'job.batch "past" deleted from jobs namespace\n']);
  expect(stderr).toMatch(/^job\.batch\/later in jobs is left alone: not before /m);
  const { items } = await real.get<{ items: Pod[] }>('/apis/batch/v1/namespaces/jobs/jobs');
  // As the controller asks for it: in the foreground.
  expect(items.map(({ metadata: { name, finalizers } }) => [name, finalizers])).toEqual([
    ['later', undefined],
    ['past', ['foregroundDeletion']],
  ]);
});

test('forecast: what has lost its owner goes, and what has another owner loses a reference', async () => {
  const configMaps = '/api/v1/namespaces/owners/configmaps';
  const referenceTo = (name: string, uid: string) => {
    return { apiVersion: 'v1', kind: 'ConfigMap', name, uid };
  };
  await real.putObjects([namespaceObject('owners')]);
  const owner = await real.make<Pod>('ConfigMap owners/there');
  const there = referenceTo('there', owner.metadata.uid);
  const gone = referenceTo('gone', 'gone-uid');
  const make = (name: string, ownerReferences: readonly object[]) =>
    real.make(`ConfigMap owners/${name}`, { metadata: { ownerReferences } });
  await make('alone', [gone]);
  await make('shared', [gone, there]);
  await make('kept', [there]);
  const { code, stdout, stderr } = await forecast(
    '--collector garbage-collector -n owners --apply --yes',
  );
  expect([code, stdout.split('\n').sort()], stderr).toEqual([
    0,
    ['', 'configmap "alone" deleted from owners namespace', 'configmap/shared patched'],
  ]);
  interface Owned {
    readonly metadata: { readonly name: string; readonly ownerReferences?: readonly object[] };
  }
  const { items } = await real.get<{ items: Owned[] }>(configMaps);
  expect(items.map(({ metadata }) => [metadata.name, metadata.ownerReferences])).toEqual([
    ['kept', [there]],
    ['shared', [there]],
    ['there', undefined],
  ]);
});

test('what was done by hand ended as what the controller did', async () => {
  const byHand = await endOf(hand);
  let controlled: unknown[] = [];
  while (!isDeepStrictEqual(controlled, byHand) && Date.now() < realStarted + collected) {
    await sleep(500);
    controlled = await endOf(real);
  }
  expect(controlled).toEqual(byHand);
});

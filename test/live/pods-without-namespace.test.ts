import { expect, test } from 'vitest';
import type { DiagnosisReport } from '../../src/questions/why/document.ts';
import { askingOf } from '../support/asking.ts';
import { configMap, gone, pod } from '../support/blockade.ts';
import { untilGone } from '../support/eventually.ts';
import { argumentsIn } from '../support/run-in-shell.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

/** Objects in a namespace that does not exist, as one leaves them that was finalized by force: what the API server still accepts. */
const cluster = sharedControlPlane();
const { json } = askingOf(cluster);
const space = 'finalized-by-force';
const missing = { apiVersion: 'v1', kind: 'ConfigMap', name: 'missing', uid: 'uid-of-missing' };

const statusOf = async (path: string, changes: object) =>
  (await cluster.merge(`/api/v1/namespaces/${space}/${path}`, changes)).status;

/** What is said of one object, and the command that is printed for it. */
async function why(line: string) {
  const { items } = await json<DiagnosisReport>(`why ${line} -n ${space}`);
  const [{ state, blockers, fix } = expect.fail()] = items;
  const [first] = blockers;
  return { state, causes: blockers.map(({ cause }) => cause), fix, next: first?.next ?? '' };
}

/** Runs the kubectl command at the end of an advice, as it stands. */
async function follow(next: string): Promise<void> {
  const [, command = expect.fail()] = /`?(kubectl [^`]+)`?\.?$/.exec(next) ?? [];
  const { code, stderr } = await cluster.kubectl(argumentsIn(command));
  expect([command, code, stderr.replace(/^Warning: .*\n/gm, '')]).toEqual([command, 0, '']);
}

test('a Pod that is being deleted there keeps its status, and is deleted without its kubelet', async () => {
  await cluster.putObjects([pod(space, 'left', 'no-such-node', gone)]);
  const { state, causes, next } = await why('pod/left');
  expect([state, causes.includes('namespace-missing')]).toEqual(['stuck', true]);
  expect(await statusOf('pods/left/status', { status: { phase: 'Failed' } })).toBe(404);
  await follow(next);
  await untilGone(cluster, `Pod ${space}/left`);
});

test('a finalizer there is removed once the namespace exists again', async () => {
  const finalizers = ['example.com/nothing-removes-this'];
  await cluster.putObjects([configMap(space, 'held', { ...gone, finalizers })]);
  const { state, causes, fix, next } = await why('configmap/held');
  expect([state, causes[0], fix]).toEqual(['stuck', 'namespace-missing', undefined]);
  const release = { metadata: { finalizers: null } };
  expect(await statusOf('configmaps/held', release)).toBe(404);
  await follow(next);
  expect((await why('configmap/held')).causes).not.toContain('namespace-missing');
  expect(await statusOf('configmaps/held', release)).toBe(200);
  await untilGone(cluster, `ConfigMap ${space}/held`);
  await cluster.remove(`Namespace ${space}`);
  await untilGone(cluster, `Namespace ${space}`);
});

test('the garbage collector deletes a Pod there whose owner does not exist', async () => {
  const metadata = { ownerReferences: [missing] };
  await cluster.putObjects([pod(space, 'orphan', '', metadata, { nodeName: undefined })]);
  await untilGone(cluster, `Pod ${space}/orphan`);
});

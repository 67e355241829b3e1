import { expect, test } from 'vitest';
import type { DiagnosisReport } from '../../src/questions/why/document.ts';
import { askingOf } from '../support/asking.ts';
import { showManager } from '../support/control-plane-pod.ts';
import { untilGone } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';

const plane = await ownControlPlane({ controllers: ['token-cleaner-controller'] });
const { json } = askingOf(plane);

test('a bootstrap token goes when why says so, where the token cleaner runs', async () => {
  const expiration = `${new Date(Date.now() + 8000).toISOString().slice(0, -5)}Z`;
  const token = 'Secret kube-system/bootstrap-token-abcdef';
  const data = { expiration: btoa(expiration) };
  await plane.make(token, { type: 'bootstrap.kubernetes.io/token', data });
  const said = async (controllers: string) => {
    await showManager(plane, [`--controllers=${controllers}`]);
    const line = 'why secret/bootstrap-token-abcdef -n kube-system';
    const [found] = (await json<DiagnosisReport>(line)).items;
    return found?.chain.links.map(({ cause, because }) => [cause, because.includes(expiration)]);
  };
  expect(await said('*')).toEqual([['controller-off', true]]);
  expect(await said('*,tokencleaner')).toEqual([['controller-deletes', true]]);
  await untilGone(plane, token);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiration));
});

test('garbage stays, and why says that the garbage collector is off', async () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'gone' };
  const garbage = 'ConfigMap default/garbage';
  await plane.make(garbage, { metadata: { ownerReferences: [owner] } });
  const said = async (controllers: string) => {
    await showManager(plane, [`--controllers=${controllers}`]);
    const [found] = (await json<DiagnosisReport>('why configmap/garbage -n default')).items;
    return [found?.state, found?.blockers.map(({ cause }) => cause)];
  };
  expect(await said('*,-garbagecollector')).toEqual(['stuck', ['controller-off']]);
  // It is on by its flag, and yet the object stays.
  expect(await said('*')).toEqual(['overdue', ['controller-manager-unknown']]);
  expect(await plane.isHealthy(garbage)).toBe(true);
});

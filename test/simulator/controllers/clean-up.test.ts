import { describe, expect, test } from 'vitest';
import { parseRequests } from '../../../src/questions/simulate/scenario.ts';
import { builderOf, job, ownedBy, pod } from '../../support/builders.ts';
import { at, play, told } from './play-controllers.ts';

const csr = builderOf('certificates.k8s.io/v1', 'CertificateSigningRequest');
const lease = builderOf('coordination.k8s.io/v1', 'Lease');
const hour = 3600;

/** After 5 s. */
function patched(apiVersion: string, kind: string, name: string, patch: object) {
  const request = { verb: 'patch', apiVersion, kind, namespace: 'shop', name, patch };
  return parseRequests([{ ...request, after: '5s' }], 'requests');
}

describe('TTL after finished', () => {
  const finished = (seconds: number) => ({
    conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: at(seconds) }],
  });
  const done = job('done', { facts: { ...finished(-50), ttlSecondsAfterFinished: 60 } });
  const worn = pod('worn', {
    facts: { nodeName: '', phase: 'Succeeded' },
    ownerReferences: [ownedBy(done, { controller: true, blockOwnerDeletion: true })],
  });
  const deletes = 'ttl-after-finished-controller delete/Foreground done terminating TTL-4';

  test('deletes a Job in the foreground at its very time, with its pods', () => {
    expect(told([done, worn])).toEqual([`10s ${deletes}`, 'quiet']);
  });

  test('goes by what the Job says then', () => {
    const goesBy = (ttlSecondsAfterFinished: number) => ({
      requests: patched('batch/v1', 'Job', 'done', { spec: { ttlSecondsAfterFinished } }),
    });
    expect(play([done], goesBy(80)).steps).toEqual([`30s ${deletes}`]);
    expect(play([done], goesBy(10)).steps).toEqual([`5s ${deletes}`]);
  });
});

describe('a Job', () => {
  const facts = { backoffLimit: 0, ttlSecondsAfterFinished: 3 };
  const of = (more: object) => job('import', { facts: { ...facts, ...more } });
  const podOf = (name: string, more: object = {}) =>
    pod(name, {
      facts: { nodeName: '', phase: 'Pending' },
      ownerReferences: [ownedBy(of({}), { controller: true })],
      ...more,
    });

  test('that waits for a terminating pod fails once that is deleted, and is deleted after its TTL', () => {
    const waits = of({ conditions: [{ type: 'FailureTarget', status: 'True' }] });
    const held = podOf('held', { finalizers: ['example.com/hold'], deleting: 'background' });
    const requests = patched('v1', 'Pod', 'held', { metadata: { finalizers: null } });
    // Pod GC would end it.
    const settings = { controllers: ['*', '-pod-garbage-collector-controller'] };
    expect(told([waits, held], { settings })).toEqual(['stuck: import, held']);
    expect(told([waits, held], { settings, requests })).toEqual([
      '5s job-controller patch import changed JOB-1',
      '8s ttl-after-finished-controller delete/Foreground import terminating TTL-4',
      'quiet',
    ]);
  });

  test.each([
    [{}, ['stuck: left']],
    [{ job: 'import' }, ['5s job-controller patch left removed JOB-3', 'quiet']],
  ])('of another manager orphans pods with labels %j', (labels, ends) => {
    const selector = { matchLabels: { job: 'import' } };
    const queued = of({ managedBy: 'x.com/queue', selector });
    const finalizers = ['batch.kubernetes.io/job-tracking'];
    const left = podOf('left', { finalizers, deleting: 'background', labels });
    const named = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: 'import' };
    const request = { ...named, verb: 'delete', propagationPolicy: 'Background', after: '5s' };
    const requests = parseRequests([request], 'requests');
    const settings = { controllers: ['*', '-pod-garbage-collector-controller'] };
    expect(told([queued, left], { settings, requests })).toEqual(ends);
  });

  test('that is suspended deletes its pods, and does not fail by that', () => {
    const requests = patched('batch/v1', 'Job', 'import', { spec: { suspend: true } });
    expect(told([of({}), podOf('a'), podOf('b')], { requests })).toEqual([
      ...['a', 'b'].map((name) => `5s job-controller delete ${name} removed JOB-2`),
      'quiet: import',
    ]);
  });

  // Which deletion is first is undetermined, and a Job does not count the pods that it deletes itself.
  const onPods = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop' };
  const deletion = { ...onPods, verb: 'delete', name: 'a' };
  const collection = { ...onPods, verb: 'deletecollection' };
  test.each<[string, object, boolean]>([
    ['deleted by a request', deletion, true],
    [
      'deleted by a request that has their resourceVersion',
      { ...deletion, preconditions: { resourceVersion: '1' } },
      true,
    ],
    ['deleted by a rehearsed request', { ...deletion, dryRun: ['All'] }, false],
    [
      'deleted by a request for another uid',
      { ...deletion, preconditions: { uid: 'other' } },
      false,
    ],
    ['namesakes of a deleted object', { ...deletion, apiVersion: 'v1', kind: 'ConfigMap' }, false],
    ['elsewhere than a deleted object', { ...deletion, namespace: 'ops' }, false],
    ['deleted by a collection', collection, true],
    ['deleted by a collection with their labels', { ...collection, labelSelector: 'run=a' }, true],
    ['others than a collection deletes', { ...collection, labelSelector: 'run=b' }, false],
    ['deleted by a rehearsed collection', { ...collection, dryRun: ['All'] }, false],
  ])('that is suspended may fail where its pods are %s', (_, request, mayFail) => {
    const requests = [
      ...patched('batch/v1', 'Job', 'import', { spec: { suspend: true } }),
      ...parseRequests([request], 'requests'),
    ];
    const finalizers = ['batch.kubernetes.io/job-tracking'];
    const one = podOf('a', { finalizers, labels: { run: 'a' }, resourceVersion: '1' });
    const { open } = play([of({}), one], { requests });
    expect(open.includes('import')).toBe(mayFail);
  });
});

describe('CertificateSigningRequests', () => {
  const denied = (name: string, seconds: number) =>
    csr(name, {
      facts: { conditions: [{ type: 'Denied', status: 'True', lastUpdateTime: at(seconds) }] },
    });
  const deletes = (name: string, seconds: number) =>
    `${seconds}s certificatesigningrequest-cleaner-controller delete ${name} removed CSR-3`;
  const old = denied('old', -2 * hour);
  const fresh = denied('fresh', -hour / 2);

  test('are open as long as they may be due', () => {
    const open = (seconds: number) =>
      play([old, fresh], { clock: { duration: seconds * 1000 } }).open.sort();
    expect([open(60), open(0.75 * hour), open(hour), open(1.6 * hour)]).toEqual([
      ...[['old'], ['fresh', 'old'], ['fresh'], []],
    ]);
  });

  test('are deleted at the full hours of a leader whose Lease says since when it leads', () => {
    const leader = lease('kube-controller-manager', {
      namespace: 'kube-system',
      facts: { acquireTime: at(-600), renewTime: at(-2), leaseDurationSeconds: 15 },
    });
    const clock = { duration: hour * 1000 };
    const { steps, open } = play([leader, old], { clock });
    expect({ steps, open }).toEqual({ steps: [deletes('old', 3000)], open: [] });
  });

  test('wait for the full hour after the one in which they are not due yet', () => {
    const leader = lease('kube-controller-manager', {
      namespace: 'kube-system',
      facts: { acquireTime: at(-600), renewTime: at(-2), leaseDurationSeconds: 15 },
    });
    const due = denied('due', 100 - hour);
    const next = denied('next', 3100 - hour);
    const { steps } = play([leader, due, next], { clock: { duration: 2 * hour * 1000 } });
    expect(steps).toEqual([deletes('due', 3000), deletes('next', 6600)]);
  });

  test('are not seen by the first pass of a controller that starts without a pause', () => {
    const clock = { start: 'after-requests', duration: 2 * hour * 1000 } as const;
    expect(play([old], { clock }).steps).toEqual([deletes('old', hour)]);
    const settings = { controllerStartInterval: 4000 };
    expect(play([old], { clock, settings }).steps).toEqual([deletes('old', 4)]);
  });
});

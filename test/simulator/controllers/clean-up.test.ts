import { describe, expect, test } from 'vitest';
import { parseRequests } from '../../../src/simulator/scenario.ts';
import { builderOf, job, node, ownedBy, pod } from '../../support/builders.ts';
import { at, play, told } from './play-controllers.ts';

const cronJob = builderOf('batch/v1', 'CronJob');
const csr = builderOf('certificates.k8s.io/v1', 'CertificateSigningRequest');
const lease = builderOf('coordination.k8s.io/v1', 'Lease');
const hour = 3600;
const worker = node('worker');

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
    const patch = (ttl: number | null, after: string) => ({
      verb: 'patch',
      apiVersion: 'batch/v1',
      kind: 'Job',
      namespace: 'shop',
      name: 'done',
      patch: { spec: { ttlSecondsAfterFinished: ttl } },
      after,
    });
    const longer = parseRequests([patch(80, '5s')], 'requests');
    expect(play([done], { requests: longer }).steps).toEqual([`30s ${deletes}`]);
    const shorter = parseRequests([patch(10, '5s')], 'requests');
    expect(play([done], { requests: shorter }).steps).toEqual([`5s ${deletes}`]);
  });

  test('has not come by the deadline', () => {
    const clock = { duration: 9_000 };
    const kept = { steps: [], left: ['done'], open: [], ended: 'deadline' };
    expect(play([done], { clock })).toEqual(kept);
  });
});

describe('CronJob history', () => {
  const backup = cronJob('backup', {
    facts: { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0, suspend: true },
  });
  const run = (name: string, seconds: number, type: string, owner = backup) =>
    job(name, {
      ownerReferences: [ownedBy(owner, { controller: true })],
      facts: { startTime: at(seconds), conditions: [{ type, status: 'True' }] },
    });
  const deletes = (name: string) => `0s cronjob-controller delete/Background ${name} removed CJ-4`;

  test('keeps the latest of each kind', () => {
    const jobs = [run('c', -1, 'Complete'), run('a', -3, 'Complete'), run('b', -2, 'Failed')];
    expect(told([backup, ...jobs])).toEqual([deletes('a'), deletes('b'), 'quiet: backup, c']);
  });

  test('goes by the name of the owner, whatever its uid', () => {
    const former = cronJob('backup', { uid: 'uid-of-the-former' });
    const jobs = [run('old', -9, 'Complete', former), run('new', -1, 'Complete')];
    const { steps } = play([backup, ...jobs], { settings: { controllers: ['cronjob'] } });
    expect(steps).toEqual([deletes('old')]);
  });

  test('asks once for what a finalizer holds', () => {
    const held = { ...run('a', -3, 'Failed'), finalizers: ['a/b'] };
    const { steps, ended: how } = play([backup, held]);
    expect({ steps, how }).toEqual({
      steps: ['0s cronjob-controller delete/Background a terminating CJ-4'],
      how: 'stuck',
    });
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

  test('go within the hour in which they are due, at a time that is not known', () => {
    const clock = { duration: 2 * hour * 1000 };
    expect(told([old, fresh], { clock })).toEqual([
      deletes('old', 0),
      deletes('fresh', hour),
      'quiet',
    ]);
  });

  test.each<[string, number, string[]]>([
    ['right away', 60, ['old']],
    ['while the other may be due as well', 0.75 * hour, ['old', 'fresh']],
    ['once the hour is over', hour, ['fresh']],
    ['once every hour is over', 1.6 * hour, []],
  ])('are open %s', (_, seconds, open) => {
    expect(play([old, fresh], { clock: { duration: seconds * 1000 } }).open.sort()).toEqual(
      open.sort(),
    );
  });

  test('go at the full hours of a leader whose Lease tells since when it leads', () => {
    const leader = lease('kube-controller-manager', {
      namespace: 'kube-system',
      facts: { acquireTime: at(-600), renewTime: at(-2), leaseDurationSeconds: 15 },
    });
    const clock = { duration: hour * 1000 };
    const { steps, open } = play([leader, old], { clock });
    expect({ steps, open }).toEqual({ steps: [deletes('old', 3000)], open: [] });
  });

  test('are not seen by the first pass of a controller that starts without a pause', () => {
    const clock = { start: 'after-requests', duration: 2 * hour * 1000 } as const;
    expect(play([old], { clock }).steps).toEqual([deletes('old', hour)]);
    const settings = { controllerStartInterval: 4000 };
    expect(play([old], { clock, settings }).steps).toEqual([deletes('old', 4)]);
  });
});

describe('a cluster where nothing is due', () => {
  test('is quiet at once', () => {
    const running = pod('web', { facts: { nodeName: 'worker', phase: 'Running' } });
    expect(told([worker, running, job('busy', { facts: {} })])).toEqual([
      'quiet: worker, web, busy',
    ]);
  });

  test('is left alone where the collectors are told not to run', () => {
    const lost = pod('lost', { facts: { nodeName: 'gone', phase: 'Running' } });
    expect(play([worker, lost], { clock: { controllers: false } }).steps).toEqual([]);
  });
});

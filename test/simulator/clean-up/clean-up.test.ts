import { describe, expect, it } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import type { CollectorSettings } from '../../../src/settings/collector-settings.ts';
import type { SimulatedRequest } from '../../../src/simulator/request.ts';
import { parseRequests } from '../../../src/simulator/scenario.ts';
import { type SimulationClock, simulate } from '../../../src/simulator/simulate.ts';
import { builderOf, job, node, ownedBy, pod, snapshotOf } from '../../support/builders.ts';

const cronJob = builderOf('batch/v1', 'CronJob');
const csr = builderOf('certificates.k8s.io/v1', 'CertificateSigningRequest');
const lease = builderOf('coordination.k8s.io/v1', 'Lease');

const now = Date.parse('2026-02-01T00:00:00Z');
/** A time so many seconds after the beginning. */
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString().replace('.000', '');
const hour = 3600;

interface Options {
  readonly requests?: readonly SimulatedRequest[];
  readonly settings?: Partial<CollectorSettings>;
  readonly clock?: Partial<SimulationClock>;
}

/** What collectors do, `12s pod-garbage-collector-controller delete web removed PG-16`, and what is left open. */
function play(
  records: readonly ObjectRecord[],
  { requests = [], settings = {}, clock }: Options = {},
) {
  const simulation = simulate(
    snapshotOf(records),
    requests,
    { kubelets: false, ...settings },
    {
      now,
      ...clock,
    },
  );
  const { steps, objects, undetermined, ended } = simulation;
  return {
    steps: steps
      .filter(({ actor }) => actor !== 'user' && !actor.startsWith('garbage'))
      .map(({ at: time, actor, verb, object, policy, result, rule }) => {
        const seconds = Math.floor((Date.parse(time) - now) / 1000);
        const what = policy === undefined ? verb : `${verb}/${policy}`;
        return `${seconds}s ${actor} ${what} ${object.name} ${result} ${rule}`;
      }),
    left: objects.map(({ name }) => name),
    open: undetermined.map(({ object }) => object.name),
    ended,
  };
}

const podgc = (seconds: number, text: string) =>
  `${seconds}s pod-garbage-collector-controller ${text}`;
const ended = (name: string, seconds = 0, more: Partial<ObjectRecord> = {}) =>
  pod(name, { creationTimestamp: at(seconds), facts: { phase: 'Failed', nodeName: '' }, ...more });
const worker = node('worker');
const remove = (kind: string, name: string, after = '0s') =>
  parseRequests(
    [{ verb: 'delete', apiVersion: 'v1', kind, name, namespace: 'shop', after }],
    'requests',
  );

describe('pod garbage collection', () => {
  it('deletes the oldest pods above the threshold, and is quiet then', () => {
    const pods = [ended('b', -10), ended('a', -20), ended('c', -5)];
    expect(play(pods, { settings: { terminatedPodGCThreshold: 1 } })).toEqual({
      steps: [podgc(0, 'delete a removed PG-5'), podgc(0, 'delete b removed PG-5')],
      left: ['c'],
      open: [],
      ended: 'quiet',
    });
  });

  it('does nothing at the threshold', () => {
    const pods = [ended('a'), ended('b')];
    expect(play(pods, { settings: { terminatedPodGCThreshold: 2 } })).toEqual({
      steps: [],
      left: ['a', 'b'],
      open: [],
      ended: 'quiet',
    });
  });

  it('leaves it open which of two pods goes whose creation time and name are equal', () => {
    const pods = [ended('a', 0), ended('a', 0, { namespace: 'db', uid: 'other' })];
    const { left, open } = play(pods, { settings: { terminatedPodGCThreshold: 1 } });
    expect({ left, open }).toEqual({ left: ['a', 'a'], open: ['a', 'a'] });
  });

  const lost = pod('lost', { facts: { nodeName: 'gone', phase: 'Running' } });

  it('waits for 40 seconds before it deletes the pods of a missing Node', () => {
    expect(play([worker, lost])).toEqual({
      steps: [podgc(40, 'patch lost changed PG-16'), podgc(40, 'delete lost removed PG-16')],
      left: ['worker'],
      open: [],
      ended: 'quiet',
    });
  });

  it.each([
    ['before the quarantine can be over', 30_000, ['lost']],
    ['before the last pass that can come', 59_999, ['lost']],
    ['after it', 60_000, []],
  ])('is not certain of them %s', (_, duration, open) => {
    expect(play([worker, lost], { clock: { duration } }).open).toEqual(open);
  });

  it('knows when a quarantine began that begins with the controller', () => {
    const clock = { start: 'after-requests', duration: 39_999 } as const;
    expect(play([worker, lost], { clock }).open).toEqual([]);
  });

  it('notices a Node that is deleted, and a pod that becomes Failed counts in the next pass', () => {
    const bound = pod('bound', {
      facts: { nodeName: 'worker', phase: 'Running' },
      creationTimestamp: at(-9),
      finalizers: ['a/b'],
    });
    const settings = { terminatedPodGCThreshold: 1 };
    const pods = [ended('young', -1)];
    expect(
      play([worker, node('other'), bound, ...pods], {
        requests: remove('Node', 'worker', '5s'),
        settings,
      }),
    ).toEqual({
      steps: [podgc(60, 'patch bound changed PG-16'), podgc(60, 'delete bound terminating PG-16')],
      left: ['other', 'bound', 'young'],
      open: [],
      ended: 'stuck',
    });
  });

  it('spares the pods of a Node that is there again, and of a picture without Nodes', () => {
    const object = { metadata: { name: 'gone' } };
    const requests = parseRequests(
      [{ verb: 'create', apiVersion: 'v1', kind: 'Node', name: 'gone', object, after: '30s' }],
      'requests',
    );
    const none = { steps: [], open: [], ended: 'quiet' };
    expect(play([worker, lost], { requests })).toEqual({
      ...none,
      left: ['worker', 'lost', 'gone'],
    });
    expect(play([lost])).toEqual({ ...none, left: ['lost'] });
  });

  it('deletes what is deleted and has no Node, or one that is out of service', () => {
    const out = { key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' };
    const deleting = { deletionTimestamp: at(-60), deletionGracePeriodSeconds: 30 };
    const pods = [
      pod('a', { ...deleting, facts: { nodeName: 'down', phase: 'Running' } }),
      pod('b', { ...deleting, facts: { nodeName: '', phase: 'Pending' }, finalizers: ['a/b'] }),
      pod('c', { ...deleting, facts: { nodeName: 'worker', phase: 'Running' } }),
    ];
    expect(play([worker, node('down', { facts: { taints: [out] } }), ...pods])).toEqual({
      steps: [
        podgc(0, 'patch a changed PG-10'),
        podgc(0, 'delete a removed PG-10'),
        podgc(0, 'patch b changed PG-17'),
        podgc(0, 'delete b terminating PG-17'),
      ],
      left: ['worker', 'down', 'b', 'c'],
      open: [],
      ended: 'stuck',
    });
  });

  it('does not run where --controllers says so', () => {
    const controllers = ['*', '-podgc'];
    expect(play([worker, lost], { settings: { controllers } }).left).toEqual(['worker', 'lost']);
  });
});

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

  it('deletes a Job in the foreground at its very time, with its pods', () => {
    expect(play([done, worn])).toEqual({
      steps: [`10s ${deletes}`],
      left: [],
      open: [],
      ended: 'quiet',
    });
  });

  it('goes by what the Job says then', () => {
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

  it('has not come by the deadline', () => {
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

  it('keeps the latest of each kind', () => {
    const jobs = [run('c', -1, 'Complete'), run('a', -3, 'Complete'), run('b', -2, 'Failed')];
    expect(play([backup, ...jobs])).toEqual({
      steps: [deletes('a'), deletes('b')],
      left: ['backup', 'c'],
      open: [],
      ended: 'quiet',
    });
  });

  it('goes by the name of the owner, whoever that was', () => {
    const former = cronJob('backup', { uid: 'uid-of-the-former' });
    const jobs = [run('old', -9, 'Complete', former), run('new', -1, 'Complete')];
    const { steps } = play([backup, ...jobs], { settings: { controllers: ['cronjob'] } });
    expect(steps).toEqual([deletes('old')]);
  });

  it('asks once for what a finalizer holds', () => {
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

  it('go within the hour in which they are due; nobody knows when', () => {
    const clock = { duration: 2 * hour * 1000 };
    expect(play([old, fresh], { clock })).toEqual({
      steps: [deletes('old', 0), deletes('fresh', hour)],
      left: [],
      open: [],
      ended: 'quiet',
    });
  });

  it.each<[string, number, string[]]>([
    ['right away', 60, ['old']],
    ['while the other may be due as well', 0.75 * hour, ['old', 'fresh']],
    ['once the hour is over', hour, ['fresh']],
    ['once every hour is over', 1.6 * hour, []],
  ])('are open %s', (_, seconds, open) => {
    expect(play([old, fresh], { clock: { duration: seconds * 1000 } }).open.sort()).toEqual(
      open.sort(),
    );
  });

  it('go at the full hours of a leader whose Lease tells since when it leads', () => {
    const leader = lease('kube-controller-manager', {
      namespace: 'kube-system',
      facts: { acquireTime: at(-600), renewTime: at(-2), leaseDurationSeconds: 15 },
    });
    const clock = { duration: hour * 1000 };
    const { steps, open } = play([leader, old], { clock });
    expect({ steps, open }).toEqual({ steps: [deletes('old', 3000)], open: [] });
  });

  it('are not seen by the first pass of a controller that starts without a pause', () => {
    const clock = { start: 'after-requests', duration: 2 * hour * 1000 } as const;
    expect(play([old], { clock }).steps).toEqual([deletes('old', hour)]);
    const settings = { controllerStartInterval: 4000 };
    expect(play([old], { clock, settings }).steps).toEqual([deletes('old', 4)]);
  });
});

describe('a cluster where nothing is due', () => {
  it('is quiet at once', () => {
    const running = pod('web', { facts: { nodeName: 'worker', phase: 'Running' } });
    expect(play([worker, running, job('busy', { facts: {} })])).toEqual({
      steps: [],
      left: ['worker', 'web', 'busy'],
      open: [],
      ended: 'quiet',
    });
  });

  it('is left alone where the collectors are told not to run', () => {
    const lost = pod('lost', { facts: { nodeName: 'gone', phase: 'Running' } });
    expect(play([worker, lost], { clock: { collectors: false } }).steps).toEqual([]);
  });
});

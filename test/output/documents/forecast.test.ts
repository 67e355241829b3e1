import { describe, expect, test } from 'vitest';
import {
  type ControllerSettings,
  defaultControllerSettings,
} from '../../../src/controllers/settings/controller-settings.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  type ForecastItem,
  type ForecastOptions,
  forecastReport,
} from '../../../src/output/documents/forecast.ts';
import {
  builderOf,
  configMap,
  job,
  node,
  ownedBy,
  ownedByGone,
  pod,
  type SnapshotOptions,
  snapshotOf,
} from '../../support/builders.ts';

const now = Date.parse('2026-01-31T12:00:00Z');
const hour = 3_600_000;
const cronJob = builderOf('batch/v1', 'CronJob');
const at = (seconds: number) => `${new Date(now + seconds * 1000).toISOString().slice(0, 19)}Z`;
const ready = { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: at(-5) }] };
const worker = node('worker', { facts: ready });
const controlled = { controller: true, blockOwnerDeletion: true };

interface Asked extends Partial<Omit<ForecastOptions, 'settings'>> {
  readonly settings?: Partial<ControllerSettings>;
  readonly snapshot?: SnapshotOptions;
}

function forecast(records: readonly ObjectRecord[], asked: Asked = {}) {
  const { settings, snapshot, ...options } = asked;
  return forecastReport(snapshotOf(records, snapshot), {
    now,
    within: 24 * hour,
    // A Node of a test has no heartbeats.
    shows: (id) => id !== 'node-lifecycle',
    ...options,
    settings: { ...defaultControllerSettings, ...settings },
  });
}

/** `10s..10s ttl-after-finished delete done`, and after what. */
function told({ items }: { readonly items: readonly ForecastItem[] }): string[] {
  return items.map((item) => {
    const { collector, action, object, notBefore, notAfter, follows, confidence } = item;
    const doubt = confidence === 'certain' ? '' : `${confidence} `;
    const after = follows ? ` after ${follows.name}` : '';
    const to = notAfter === undefined ? '' : seconds(notAfter);
    return `${doubt}${seconds(notBefore)}..${to} ${collector} ${action} ${object.name}${after}`;
  });
}

function seconds(time: string): string {
  return `${(Date.parse(time) - now) / 1000}s`;
}

const finished = (since: number) => ({
  conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: at(since) }],
});

describe('what follows', () => {
  const done = job('done', { facts: { ...finished(-50), ttlSecondsAfterFinished: 60 } });
  const ended = pod('ended', {
    facts: { nodeName: 'worker', phase: 'Succeeded' },
    ownerReferences: [ownedBy(done, controlled)],
  });
  const busy = pod('busy', {
    facts: { nodeName: 'worker', phase: 'Running', terminationGracePeriodSeconds: 30 },
    ownerReferences: [ownedBy(done, controlled)],
  });
  const notes = configMap('notes', { ownerReferences: [ownedBy(busy)] });

  test("from a Job's end: its pods, and what is theirs when they are gone", () => {
    const report = forecast([worker, done, ended, busy, notes]);
    expect(told(report)).toEqual([
      '10s..10s ttl-after-finished delete done',
      '10s..11s garbage-collector delete ended after done',
      '10s..11s garbage-collector delete busy after done',
      '40s..41s garbage-collector delete notes after busy',
    ]);
    const [first, second] = report.items;
    expect(first).toEqual({
      collector: 'ttl-after-finished',
      action: 'delete',
      object: {
        apiVersion: 'batch/v1',
        kind: 'Job',
        namespace: 'shop',
        name: 'done',
        uid: done.uid,
      },
      notBefore: at(10),
      notAfter: at(10),
      confidence: 'certain',
      // Its running pod has half a minute.
      gone: { notBefore: at(40), notAfter: at(41) },
      options: { propagationPolicy: 'Foreground', uid: done.uid },
      finalizers: [],
      because: `it was Complete at ${at(-50)}, and its ttlSecondsAfterFinished is 60`,
      rule: 'TTL-4',
    });
    expect(second?.follows).toEqual(first?.object);
    expect(second?.options).toEqual({ uid: ended.uid, propagationPolicy: 'Background' });
  });

  test('ends where a finalizer holds', () => {
    const held = { ...busy, finalizers: ['example.com/hold'] };
    const report = forecast([worker, done, held, notes]);
    expect(told(report)).toEqual([
      '10s..10s ttl-after-finished delete done',
      '10s..11s garbage-collector delete busy after done',
    ]);
    expect(report.items.map(({ gone, held: why }) => [gone, why])).toEqual([
      [undefined, 'blocked by its dependent Pod busy'],
      [undefined, 'nothing that is simulated removes its finalizer example.com/hold'],
    ]);
  });

  test('from a Node that is gone: its pods after the quarantine, and their dependents', () => {
    const lost = pod('lost', { facts: { nodeName: 'gone', phase: 'Running' } });
    const own = configMap('own', { ownerReferences: [ownedBy(lost)] });
    expect(told(forecast([worker, lost, own]))).toEqual([
      '0s..80s pod-garbage-collector delete lost',
      '0s..81s garbage-collector delete own after lost',
    ]);
  });

  test('from the history of a CronJob', () => {
    const backup = cronJob('backup', {
      facts: { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1, suspend: true },
    });
    const run = (name: string, since: number) =>
      job(name, {
        facts: { ...finished(since), startTime: at(since - 10) },
        ownerReferences: [ownedBy(backup, controlled)],
      });
    const [older, younger] = [run('older', -500), run('younger', -50)];
    const old = pod('old', {
      facts: { nodeName: 'worker', phase: 'Succeeded' },
      ownerReferences: [ownedBy(older, controlled)],
    });
    // The controller looks at a CronJob when something of it changes, else once a day.
    expect(told(forecast([worker, backup, older, younger, old]))).toEqual([
      '0s..86400s cronjob-history delete older',
      '0s..86401s garbage-collector delete old after older',
    ]);
  });
});

describe('what the garbage collector does by itself', () => {
  test('waits for a look whose time is not known', () => {
    const lost = configMap('lost', { ownerReferences: [ownedByGone('v1 ConfigMap none')] });
    expect(told(forecast([lost]))).toEqual(['0s.. garbage-collector delete lost']);
  });

  test('takes off what refers to lost owners, and keeps the rest', () => {
    const owner = configMap('owner');
    const shared = configMap('shared', {
      ownerReferences: [ownedBy(owner), ownedByGone('v1 ConfigMap none')],
    });
    const { items } = forecast([owner, shared]);
    expect(items.map(({ action, patch }) => [action, patch])).toEqual([
      ['patch', { body: { metadata: { ownerReferences: [ownedBy(owner)] } } }],
    ]);
  });

  test('says an Orphan policy for what carries the finalizer', () => {
    const lost = configMap('lost', {
      ownerReferences: [ownedByGone('v1 ConfigMap none')],
      finalizers: ['orphan'],
    });
    const { items } = forecast([lost]);
    expect(items.map(({ options }) => options)).toEqual([
      { uid: lost.uid, propagationPolicy: 'Orphan' },
    ]);
  });

  test('does nothing where the owner was not read', () => {
    const lost = configMap('lost', { ownerReferences: [ownedByGone('apps/v1 ReplicaSet none')] });
    const report = forecast([lost], { snapshot: { unread: ['replicasets.apps'] } });
    expect(told(report)).toEqual([]);
    expect(report.unknown.map(({ object }) => object.name)).toEqual(['lost']);
  });
});

describe('what is shown', () => {
  const done = job('done', { facts: { ...finished(-50), ttlSecondsAfterFinished: 60 } });
  const ended = pod('ended', {
    facts: { nodeName: 'worker', phase: 'Succeeded' },
    ownerReferences: [ownedBy(done, controlled)],
  });

  test('is narrowed, not what is simulated', () => {
    const only = { shows: (id: string) => id === 'garbage-collector' };
    const report = forecast([worker, done, ended], only);
    expect(told(report)).toEqual(['10s..11s garbage-collector delete ended after done']);
    expect(report.collectors.map(({ id, items }) => [id, items])).toEqual([
      ['garbage-collector', 1],
    ]);
    const pods = { scope: ({ name }: ObjectRecord) => name === 'ended' };
    expect(told(forecast([worker, done, ended], pods))).toEqual([
      '10s..11s garbage-collector delete ended after done',
    ]);
  });

  test('begins in time', () => {
    expect(told(forecast([worker, done, ended], { within: 9_000 }))).toEqual([]);
    const csr = builderOf('certificates.k8s.io/v1', 'CertificateSigningRequest')('csr', {
      creationTimestamp: at(-23.5 * 3600),
      facts: { conditions: [] },
    });
    // The pass may come later than the time that is looked ahead.
    const soon = told(forecast([csr], { within: 0.75 * hour }));
    expect(soon).toEqual(['1800s..5401s csr-cleaner delete csr']);
  });

  test('leaves out collectors that are switched off', () => {
    const report = forecast([worker, done, ended], { settings: { controllers: [] } });
    expect(told(report)).toEqual([]);
    expect(report.collectors.filter(({ enabled }) => enabled).map(({ id }) => id)).toEqual([
      'customresourcedefinition',
      'kubelet',
      'cloud-node',
      'node-lease',
      'apiserver-lease',
      'missing-node',
    ]);
  });

  test('names the collectors that metadata alone tells nothing about', () => {
    const bare = forecast([worker, job('done'), pod('ended')]);
    expect(
      bare.collectors.flatMap(({ id, withoutFacts }) =>
        withoutFacts.length > 0 ? [[id, ...withoutFacts]] : [],
      ),
    ).toEqual([
      ['pod-garbage-collector', 'pods'],
      ['ttl-after-finished', 'jobs.batch'],
      ['cronjob-history', 'jobs.batch'],
      ['job', 'jobs.batch', 'pods'],
      ['adoption', 'pods', 'jobs.batch'],
      ['controllerrevision-history', 'pods'],
      ['statefulset-pvc-retention', 'pods'],
      ['persistentvolume-reclaim', 'pods'],
      ['attachdetach', 'pods'],
      ['device-taint-eviction', 'pods'],
      ['legacy-serviceaccount-token-cleaner', 'pods'],
      ['ephemeral-volume', 'pods'],
      ['resourceclaim', 'pods'],
      ['protection', 'pods'],
    ]);
  });

  test('and no ServiceAccounts, which have no Secrets since v1.24, unless nothing was read in full', () => {
    const account = builderOf('v1', 'ServiceAccount')('default');
    const blind = (records: readonly ObjectRecord[], snapshot: SnapshotOptions = {}) =>
      forecast(records, { snapshot })
        .collectors.filter(({ withoutFacts }) => withoutFacts.includes('serviceaccounts'))
        .map(({ id }) => id);
    expect(blind([worker, account])).toEqual([]);
    const coverage = {
      problems: [
        {
          reason: 'unavailable' as const,
          resource: 'serviceaccounts',
          message: 'its objects could not be read in full',
        },
      ],
    };
    expect(blind([worker, account], { coverage })).toHaveLength(2);
    expect(blind([account])).toEqual([
      'legacy-serviceaccount-token-cleaner',
      'serviceaccount-token',
    ]);
  });
});

describe('pods that are being deleted', () => {
  const ending = pod('ending', {
    deletionTimestamp: at(20),
    deletionGracePeriodSeconds: 30,
    facts: { nodeName: 'worker', phase: 'Running' },
  });

  test('are confirmed by their kubelet', () => {
    expect(told(forecast([worker, ending]))).toEqual(['20s..20s kubelet delete ending']);
  });

  test('are in doubt when that is overdue', () => {
    const late = { ...ending, deletionTimestamp: at(-600) };
    expect(told(forecast([worker, late]))).toEqual(['unknown 0s..0s kubelet delete ending']);
  });

  test('stay where the Node is not ready', () => {
    const unready = {
      conditions: [{ type: 'Ready', status: 'Unknown', lastHeartbeatTime: at(-5) }],
    };
    expect(told(forecast([node('worker', { facts: unready }), ending]))).toEqual([]);
  });
});

import { expect, test } from 'vitest';
import type { ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
import { forecastReport } from '../../../src/questions/forecast/document.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import {
  blocking,
  builderOf,
  configMap,
  job,
  node,
  ownedBy,
  pod,
  type SnapshotOptions,
  snapshotOf,
} from '../../support/builders.ts';

const now = Date.parse('2026-01-31T12:00:00Z');
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

test('a forecast does not report missing Secrets of ServiceAccounts, unless no object was read in full', () => {
  const account = builderOf('v1', 'ServiceAccount')('default');
  const blind = (records: readonly ObjectRecord[], options: SnapshotOptions = {}) =>
    forecastReport(snapshotOf(records, options), {
      ...{ now, within: 3_600_000, settings: defaultControllerSettings },
    })
      .collectors.filter(({ withoutFacts }) => withoutFacts.includes('serviceaccounts'))
      .map(({ id }) => id);
  const both = ['legacy-serviceaccount-token-cleaner', 'serviceaccount-token'];
  const worker = node('worker', { facts: ready });
  expect(blind([worker, account])).toEqual([]);
  const message = 'unread';
  const problem = { reason: 'unavailable', resource: 'serviceaccounts', message } as const;
  expect(blind([worker, account], { coverage: { problems: [problem] } })).toEqual(both);
  expect(blind([account])).toEqual(both);
});

test('a cluster that has no Node at all has none of those that pods name', () => {
  const bound = pod('web', { facts: { nodeName: 'gone' } });
  const rules = (options: SnapshotOptions = {}) =>
    forecastReport(snapshotOf([bound], options), {
      ...{ now, within: 3_600_000, settings: defaultControllerSettings },
    }).items.map(({ rule }) => rule);
  expect([rules(), rules({ unread: ['nodes'] })]).toEqual([['PG-16'], []]);
});

test('with a namespace, a kind that was read there is not called unread, but for the Pods that pod GC counts everywhere', () => {
  const read = ['jobs.batch', 'pods'].map((resource) => ({ resource, namespaces: ['shop'] }));
  const unread = (namespace?: string) =>
    forecastReport(snapshotOf([], { coverage: { read } }), {
      ...{ now, within: 3_600_000, settings: defaultControllerSettings, namespace },
    }).collectors.flatMap(({ id, unread }) =>
      ['ttl-after-finished', 'pod-garbage-collector'].includes(id) ? unread : [],
    );
  expect(unread()).toContain('jobs.batch');
  expect(unread('shop')).not.toContain('jobs.batch');
  expect(unread('shop')).toContain('pods');
});

test('what a webhook without a server refuses to controllers stays, and what follows is unknown', () => {
  const ending = { deletionTimestamp: '2026-01-31T11:59:00Z' };
  const content = builderOf('v1', 'ConfigMap')('settings', { namespace: 'shop' });
  const namespace = builderOf('v1', 'Namespace')('shop', {
    ...ending,
    finalizers: ['kubernetes'],
    facts: { phase: 'Terminating' },
  });
  const hook = builderOf('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration')(
    'hook',
    {
      facts: {
        webhooks: [
          {
            ...{ name: 'hook.example.com', failurePolicy: 'Fail' },
            clientConfig: { service: { namespace: 'ops', name: 'gone' } },
            rules: [
              {
                operations: ['DELETE'],
                apiGroups: [''],
                resources: ['configmaps'],
              },
            ],
          },
        ],
      },
    },
  );
  const told = (records: readonly ObjectRecord[]) =>
    forecastReport(snapshotOf(records), {
      ...{ now, within: 3_600_000, settings: defaultControllerSettings },
    }).items.map(({ object, confidence, gone, refused = false }) => [
      object.kind,
      confidence,
      gone !== undefined,
      refused,
    ]);
  expect(told([namespace, content])).toEqual([
    ['ConfigMap', 'certain', true, false],
    ['Namespace', 'certain', false, false],
  ]);
  expect(told([namespace, content, hook])).toEqual([
    ['ConfigMap', 'certain', false, true],
    ['Namespace', 'unknown', false, false],
  ]);
});

test('what follows a deletion that failed so far is no more certain than the deletion', () => {
  const namespace = builderOf('v1', 'Namespace')('shop', {
    deletionTimestamp: '2026-01-31T11:59:00Z',
    finalizers: ['kubernetes'],
    facts: {
      phase: 'Terminating',
      conditions: [
        { type: 'NamespaceDeletionContentFailure', status: 'True', message: 'protected' },
      ],
    },
  });
  const claim = builderOf('v1', 'PersistentVolumeClaim')('data', {
    namespace: 'shop',
    finalizers: ['kubernetes.io/pvc-protection'],
  });
  const { items } = forecastReport(snapshotOf([namespace, claim]), {
    ...{ now, within: 3_600_000, settings: defaultControllerSettings },
  });
  expect(
    items.map(({ action, rule, confidence, gone }) => [action, rule, confidence, gone]),
  ).toEqual([
    ['delete', 'GC-72', 'unknown', undefined],
    ['patch', 'PV-12', 'unknown', undefined],
    ['patch', 'GC-71', 'unknown', undefined],
  ]);
});

test('the end of a deletion that has lasted, and for which nothing has to happen first, is in doubt', () => {
  const last = (deletionTimestamp: string) => {
    const namespace = builderOf('v1', 'Namespace')('shop', {
      ...{ deletionTimestamp, finalizers: ['kubernetes'] },
      facts: { phase: 'Terminating', specFinalizers: ['kubernetes'] },
    });
    const owner = configMap('owner', { deletionTimestamp, finalizers: ['foregroundDeletion'] });
    return forecastReport(snapshotOf([namespace, owner]), {
      ...{ now, within: 3_600_000, settings: defaultControllerSettings },
    }).items.map(({ object, rule, confidence }) => [object.name, rule, confidence]);
  };
  const ends = (confidence: string) => [
    ['owner', 'GC-23', confidence],
    ['shop', 'GC-71', confidence],
  ];
  expect(last('2026-01-31T11:59:30Z')).toEqual(ends('certain'));
  expect(last('2026-01-31T11:30:00Z')).toEqual(ends('unknown'));
});

test('the oldest Job of a full history depends on the next run of its CronJob', () => {
  const cron = (name: string, facts: ObjectFacts = {}) =>
    builderOf('batch/v1', 'CronJob')(name, { facts: { successfulJobsHistoryLimit: 2, ...facts } });
  const run = (of: ObjectRecord, minute: number) =>
    job(`${of.name}-${minute}`, {
      ownerReferences: [ownedBy(of, { controller: true })],
      facts: {
        startTime: `2026-01-31T11:0${minute}:00Z`,
        conditions: [{ type: 'Complete', status: 'True' }],
      },
    });
  const [full, young, suspended] = [cron('full'), cron('young'), cron('off', { suspend: true })];
  const jobs = [run(full, 1), run(full, 2), run(young, 1), run(suspended, 1), run(suspended, 2)];
  const { items, undetermined } = forecastReport(snapshotOf([full, young, suspended, ...jobs]), {
    ...{ now, within: 3_600_000, settings: defaultControllerSettings },
  });
  expect([items.length, undetermined.map(({ object }) => object.name)]).toEqual([0, ['full-1']]);
});

test('a Pod whose finalizer has outlived every DELETE of pod garbage collection stays blocked', () => {
  const deletionTimestamp = '2026-01-31T11:59:00Z';
  const stuck = pod('slow', {
    ...{ deletionTimestamp, deletionGracePeriodSeconds: 0, finalizers: ['example.com/drain'] },
    facts: { phase: 'Failed', nodeName: '' },
  });
  const { items } = forecastReport(snapshotOf([stuck]), {
    ...{ now, within: 3_600_000, settings: defaultControllerSettings },
  });
  expect(items.map(({ rule, held }) => [rule, held !== undefined])).toEqual([['PG-17', true]]);
});

test('a forecast lists what delayed controllers and programs beside Kubernetes may delete', () => {
  const set = builderOf('apps/v1', 'StatefulSet')('db', { facts: { replicas: 1 } });
  const of = (owner: ObjectRecord, name: string) =>
    pod(name, {
      facts: { phase: 'Running' },
      ownerReferences: [ownedBy(owner, { controller: true })],
    });
  const many = job('import', { facts: { parallelism: 1 } });
  const labels = { 'cleanup.kyverno.io/ttl': '2h' };
  const creationTimestamp = '2026-01-31T11:30:00Z';
  const preview = builderOf('v1', 'ConfigMap')('preview', { labels, creationTimestamp });
  const records = [set, of(set, 'db-1'), many, of(many, 'a'), of(many, 'b'), preview];
  const { items } = forecastReport(snapshotOf(records), {
    ...{ now, within: 2 * 3_600_000, settings: defaultControllerSettings },
  });
  expect(items.map(({ object, rule, confidence }) => [object.name, rule, confidence])).toEqual([
    ['db-1', 'STS-2', 'unknown'],
    ['a', 'JOB-6', 'unknown'],
    ['b', 'JOB-6', 'unknown'],
    ['preview', 'LIFE-1', 'unknown'],
  ]);
});

test.each<[string, ObjectFacts, readonly unknown[]]>([
  // The time of a condition is in whole seconds.
  ['by its TTL', { ttlSecondsAfterFinished: 30 }, ['import', 'TTL-4', 29, 110]],
  // A CronJob is processed within a day.
  ["by its CronJob's history", {}, ['import', 'CJ-4', 0, 86_481]],
])(
  "deletions after a Job's lost pod have its time range, also the Job's own %s",
  (_, facts, end) => {
    const nightly = builderOf('batch/v1', 'CronJob')('nightly', {
      facts: { failedJobsHistoryLimit: facts.ttlSecondsAfterFinished ? 1 : 0 },
    });
    const it = job('import', {
      ownerReferences: [ownedBy(nightly, { controller: true })],
      facts: { backoffLimit: 0, selector: { matchLabels: { a: 'b' } }, ...facts },
    });
    const pods = ['gone', 'worker'].map((nodeName) =>
      pod(`on-${nodeName}`, {
        ownerReferences: [ownedBy(it, { controller: true })],
        finalizers: ['batch.kubernetes.io/job-tracking'],
        facts: { nodeName, phase: 'Running' },
      }),
    );
    const worker = node('worker', { facts: ready });
    const { items } = forecastReport(snapshotOf([worker, nightly, it, ...pods]), {
      ...{ now, within: 3_600_000, settings: defaultControllerSettings },
    });
    const seconds = (time = '') => Math.round((Date.parse(time) - now) / 1000);
    const deletions = items.flatMap(({ action, object, rule, notBefore, notAfter }) =>
      action === 'delete' ? [[object.name, rule, seconds(notBefore), seconds(notAfter)]] : [],
    );
    expect(deletions.sort()).toEqual(
      [['on-gone', 'PG-16', 0, 80], ['on-worker', 'JOB-1', 0, 81], end].sort(),
    );
  },
);

const token = builderOf('v1', 'Secret')('bootstrap-token-abcdef', {
  namespace: 'kube-system',
  facts: { secretType: 'bootstrap.kubernetes.io/token', expiration: '2026-01-31T11:00:00Z' },
});

test.each([
  ['not read', defaultControllerSettings.controllers, ['may be deleted'], []],
  ['the default', ['*'], [], ['bootstrap-token-abcdef']],
  ['given without it', ['*', '-token-cleaner-controller'], [], ['bootstrap-token-abcdef']],
  ['given with it', ['*', 'tokencleaner'], ['will be deleted'], []],
])(
  'an expired token is listed whether or not its controller runs: --controllers is %s',
  (_, controllers, deleted, left) => {
    const report = forecastReport(snapshotOf([token]), {
      ...{ now, within: 3_600_000, settings: { ...defaultControllerSettings, controllers } },
    });
    const { items, leftovers } = report;
    expect({
      deleted: items.map(({ confidence }) =>
        confidence === 'unknown' ? 'may be deleted' : 'will be deleted',
      ),
      left: leftovers.flatMap(({ object, off }) => (off ? [object.name] : [])),
    }).toEqual({ deleted, left });
  },
);

test('what the garbage collector and a kubelet send, with the references that remain', () => {
  const [owner, gone, below] = [configMap('owner'), configMap('gone'), configMap('below')];
  const of = (name: string, owners: readonly ObjectRecord[], more: Partial<ObjectRecord> = {}) =>
    configMap(name, { ownerReferences: owners.map((one) => ownedBy(one)), ...more });
  const above = of('above', [below], {
    deletionTimestamp: '2026-01-31T11:59:30Z',
    finalizers: ['foregroundDeletion'],
  });
  const ending = pod('ending', {
    ...{ deletionTimestamp: '2026-01-31T12:00:10Z', deletionGracePeriodSeconds: 30 },
    facts: { nodeName: 'worker', phase: 'Running' },
  });
  const records = [
    ...[owner, above, ending, node('worker', { facts: ready })],
    of('lost', [gone]),
    of('orphaning', [gone], { finalizers: ['orphan'] }),
    of('both', [owner, gone]),
    configMap('below', { ownerReferences: [ownedBy(above, blocking)] }),
  ];
  const { items } = forecastReport(snapshotOf(records), {
    ...{ now, within: 3_600_000, settings: defaultControllerSettings },
  });
  const sent = items.map(({ object, rule, options, patch }) => [
    object.name,
    rule,
    options ?? patch,
  ]);
  const deletion = (name: string, propagationPolicy: string) => ({
    uid: `uid-configmap-shop-${name}`,
    propagationPolicy,
  });
  const references = (...ownerReferences: object[]) => ({
    body: { metadata: { ownerReferences } },
  });
  expect(sent).toEqual([
    ['below', 'GC-32', references(ownedBy(above, { blockOwnerDeletion: false }))],
    ['lost', 'GC-22.13', deletion('lost', 'Background')],
    ['orphaning', 'GC-22.13', deletion('orphaning', 'Orphan')],
    ['both', 'GC-22.11', references(ownedBy(owner))],
    ['below', 'GC-22.13', deletion('below', 'Background')],
    // It ends a deletion that was asked for before.
    ['above', 'GC-23', undefined],
    ['ending', 'GC-61', { gracePeriodSeconds: 0 }],
  ]);
});

test('only a controller that --controllers leaves off is called so, not one that is off by default', () => {
  const leftOff = (controllers: readonly string[]) =>
    forecastReport(snapshotOf([]), {
      ...{ now, within: 3_600_000, settings: { ...defaultControllerSettings, controllers } },
    }).collectors.flatMap(({ id, leftOff }) => (leftOff ? [id] : []));
  expect(leftOff(['*'])).toEqual([]);
  expect(leftOff(['-ttl-after-finished-controller', '*'])).toEqual(['ttl-after-finished']);
});

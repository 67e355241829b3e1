import { describe, expect, test } from 'vitest';
import { forecastWork } from '../../../src/commands/forecast/apply-forecast.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import type { Work } from '../../../src/shell/apply/plan-due.ts';
import { approvedPart, planControllerWork } from '../../../src/shell/apply/plan-due.ts';
import { configMap, job, ownedBy, pod, snapshotOf } from '../../support/builders.ts';
import { objectsOfYaml } from '../../support/objects-of-yaml.ts';

const now = Date.parse('2026-01-03T00:00:00Z');
const scope = () => true;
const where = { server: '', uid: '' };

const orphan = pod('orphan', {
  resourceVersion: '7',
  facts: { nodeName: 'gone', phase: 'Running' },
});
const nowhere = pod('nowhere', {
  resourceVersion: '8',
  deletionTimestamp: '2026-01-02T00:00:00Z',
  facts: { nodeName: '', phase: 'Pending' },
});
const ended = ['a', 'b', 'c'].map((name) =>
  pod(name, { resourceVersion: '7', facts: { nodeName: '', phase: 'Succeeded' } }),
);

function podWorkOf(records: Parameters<typeof snapshotOf>[0], threshold = 12500): Work {
  const settings = { ...defaultControllerSettings, terminatedPodGCThreshold: threshold };
  const ids = new Set(['pod-garbage-collector']);
  return forecastWork(snapshotOf(records), { ids, settings, scope, now });
}

describe('pod garbage collection', () => {
  test('its requests: no policy, the version, the status first, and what the Node must be', () => {
    const { due } = podWorkOf([orphan, nowhere]);
    expect(due.map(({ request }) => request)).toEqual(
      objectsOfYaml(`
- verb: delete
  apiVersion: v1
  kind: Pod
  namespace: shop
  name: orphan
  uid: ${orphan.uid}
  resourceVersion: "7"
  gracePeriodSeconds: 0
  patch:
    subresource: status
    type: strategic
    body:
      status:
        phase: Failed
        conditions:
        - type: DisruptionTarget
          status: "True"
          reason: DeletionByPodGC
          message: "PodGC: node no longer exists"
          lastTransitionTime: "2026-01-03T00:00:00Z"
  node: {name: gone, is: gone}
- verb: delete
  apiVersion: v1
  kind: Pod
  namespace: shop
  name: nowhere
  uid: ${nowhere.uid}
  resourceVersion: "8"
  gracePeriodSeconds: 0
  patch: {subresource: status, type: strategic, body: {status: {phase: Failed}}}
`),
    );
  });

  test('the plan says the collector’s reason', () => {
    const work = podWorkOf(ended, 1);
    const { plan } = planControllerWork(work.snapshot, work, { where, seen: {} });
    expect(
      plan.objects.map(({ name, fate, because, rule }) => [name, fate, because, rule]),
    ).toEqual(
      ['a', 'b'].map((name) => [
        name,
        'deleted',
        'it is Succeeded, and more than 1 pod has ended; the oldest are deleted first',
        'PG-5',
      ]),
    );
    expect(plan.requests).toEqual(work.due.map(({ request }) => request));
  });

  test('an object that was deleted before the plan is made gets no request', () => {
    const work = podWorkOf(ended, 1);
    const later = snapshotOf(ended.filter(({ name }) => name !== 'a'));
    const { plan } = planControllerWork(later, work, { where, seen: {} });
    expect(plan.requests.map(({ name }) => name)).toEqual(['b']);
  });

  test('a second look takes away, and adds nothing', () => {
    const first = podWorkOf(ended, 1);
    const more = [...ended.slice(1), pod('d', { facts: { nodeName: '', phase: 'Failed' } })];
    const { work, dropped } = approvedPart(podWorkOf(more, 0), first);
    expect([work.due, dropped]).toEqual([[], 2]);
    const again = approvedPart(podWorkOf(more, 1), first);
    expect([again.work.due.map(({ record }) => record.name), again.dropped]).toEqual([['b'], 1]);
  });
});

const finished = (name: string, ttlSecondsAfterFinished: number) => {
  const complete = { type: 'Complete', status: 'True', lastTransitionTime: '2026-01-02T23:00:00Z' };
  const facts = { ttlSecondsAfterFinished, conditions: [complete] };
  return job(name, { resourceVersion: '7', facts });
};

function jobWorkOf(controllers: readonly string[], ...jobs: ObjectRecord[]): Work {
  const settings = { ...defaultControllerSettings, controllers };
  const ids = new Set(['ttl-after-finished']);
  return forecastWork(snapshotOf(jobs), { ids, settings, scope, now });
}

test('a Job whose TTL is over is deleted with its own options; later ones are listed', () => {
  const work = jobWorkOf(['*'], finished('past', 60), finished('later', 7200));
  expect(work.due.map(({ request }) => request)).toEqual([
    {
      ...{ verb: 'delete', apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: 'past' },
      ...{ uid: 'uid-job-shop-past', resourceVersion: '7', propagationPolicy: 'Foreground' },
    },
  ]);
  expect(work.leftAlone.map(({ object, because }) => [object.name, because])).toEqual([
    ['later', expect.stringMatching(/^not before 2026-01-03T01:00:00Z: it was Complete at /)],
  ]);
});

test('a collector that is switched off does nothing', () => {
  expect(jobWorkOf(['*', '-ttl-after-finished-controller'], finished('past', 0)).due).toEqual([]);
});

test('forecast --apply deletes objects without an owner, keeps others, and reports unread owners as unknown', () => {
  const [owner, gone] = [configMap('owner'), configMap('gone')];
  const kept = configMap('kept', { ownerReferences: [ownedBy(owner)] });
  const alone = configMap('alone', { ownerReferences: [ownedBy(gone)], resourceVersion: '7' });
  const shared = configMap('shared', { ownerReferences: [ownedBy(owner), ownedBy(gone)] });
  const unread = configMap('unread', { ownerReferences: [ownedBy(job('unread'))] });
  const { due, leftAlone } = forecastWork(
    snapshotOf([owner, kept, alone, shared, unread], { unread: ['jobs.batch'] }),
    { ids: new Set(['garbage-collector']), settings: defaultControllerSettings, scope, now },
  );
  expect(due.map(({ request }) => request)).toEqual([
    {
      ...{ verb: 'delete', apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'alone' },
      ...{ uid: alone.uid, resourceVersion: '7', propagationPolicy: 'Background' },
    },
    {
      ...{ verb: 'patch', apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'shared' },
      uid: shared.uid,
      patch: { type: 'merge', body: { metadata: { ownerReferences: [ownedBy(owner)] } } },
    },
  ]);
  expect(leftAlone.map(({ object, because }) => [object.name, because])).toEqual([
    ['unread', expect.stringMatching(/^not certain: Job objects in namespace shop /)],
  ]);
});

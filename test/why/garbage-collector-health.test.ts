import { expect, test } from 'vitest';
import { configMapType } from '../../src/kube/core-types.ts';
import { bareRecord } from '../../src/kube/object-record.ts';
import { type KubeObject, recordOf } from '../../src/kube/record-codec.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import type { Query } from '../../src/why/inquiry.ts';
import { servedTypes } from '../support/builders.ts';
import { kube } from '../support/kube.ts';
import { apiService, asking, garbage, healthReport, hook } from './collector-stage.ts';
import { leaseOf, readAt } from './diagnosed.ts';

const webhook = kube(hook, {}, { webhooks: [asking] });

const health = (objects: readonly KubeObject[], types = servedTypes, onlyReads = false) =>
  healthWith(() => false, objects, types, onlyReads);

async function healthWith(...given: Parameters<typeof healthReport>) {
  const report = await healthReport(...given);
  const wrong = report.checks.filter(({ state }) => state !== 'ok');
  return [report.health, ...wrong.map(({ id, state }) => `${id} ${state}`)];
}

test('nothing is wrong', async () => {
  expect(await health([leaseOf(readAt), apiService('True')])).toEqual(['works']);
});

test('no leader', async () => {
  expect(await health([leaseOf('2026-05-31T00:00:00Z')])).toEqual([
    'does-not-work',
    'leader failing',
  ]);
  expect(await health([])).toEqual(['unknown', 'leader unknown']);
});

test('an APIService without a server, known to discovery or not', async () => {
  expect(await health([leaseOf(readAt), apiService('False')])).toEqual([
    'works-except',
    'api-services degraded',
  ]);
  const failed = [{ group: 'metrics.example.com', version: 'v1', message: 'no answer' }];
  const types = new ResourceTypes(servedTypes.all, { failed, exhaustive: true });
  expect(await health([leaseOf(readAt), apiService('False')], types)).toEqual([
    'works-except',
    'discovery degraded',
    'api-services degraded',
  ]);
});

test('an API of metrics without a server stores nothing that could be garbage', async () => {
  const group = 'custom.metrics.k8s.io';
  const service = { namespace: 'x', name: 'y' };
  const down = kube(
    `apiregistration.k8s.io/v1 APIService v1beta2.${group}`,
    {},
    {
      spec: { group, version: 'v1beta2', service },
      status: { conditions: [{ type: 'Available', status: 'False' }] },
    },
  );
  const failed = [{ group, version: 'v1beta2', message: 'no answer' }];
  const types = new ResourceTypes(servedTypes.all, { failed, exhaustive: true });
  expect(await health([leaseOf(readAt), down], types)).toEqual([
    'works',
    'discovery warning',
    'api-services warning',
  ]);
});

test('a webhook without its Service', async () => {
  expect(await health([leaseOf(readAt), webhook])).toEqual(['works-except', 'admission degraded']);
});

test('a leader does not show that the garbage collector is among its controllers', async () => {
  const unknown = { controllersFrom: 'unknown' };
  const answers = ({ ask }: Query) => ask === 'settings' && { readAt, value: unknown };
  expect(await healthWith(answers, [leaseOf(readAt)])).toEqual(['unknown', 'leader unknown']);
  expect(await healthWith(answers, [leaseOf(readAt), garbage('a'), garbage('b')])).toEqual([
    'unknown',
    'leader unknown',
    'garbage unknown',
  ]);
  // What it was seen to do shows it.
  const acts = (query: Query) =>
    query.ask === 'object' && query.isLater ? { readAt, value: undefined } : answers(query);
  expect(await healthWith(acts, [leaseOf(readAt), garbage('a')])).toEqual([
    'works',
    'leader unknown',
  ]);
});

test('garbage that is read again and still exists is overdue, and no proof where it may not be read', async () => {
  expect(await health([leaseOf(readAt), garbage('a')])).toEqual(['unknown', 'garbage unknown']);
  const hidden = ({ ask, ...query }: Query) =>
    ask === 'object' && 'isLater' in query && { readAt, reason: 'forbidden', message: 'no' };
  expect(await healthWith(hidden, [leaseOf(readAt), garbage('a')])).toEqual([
    'unknown',
    'garbage unknown',
  ]);
});

test('a policy or a webhook that refuses garbage alone is found by trying garbage', async () => {
  const refused = (query: Query) =>
    query.ask === 'rehearsal' && {
      readAt,
      value: {
        accepted: query.request.name !== 'a',
        status: 422,
        message: "ValidatingAdmissionPolicy 'keep' denied request",
      },
    };
  const policy = kube('admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy keep');
  const sound = kube('v1 ConfigMap b', { namespace: 'shop' });
  const objects = [leaseOf(readAt), policy, sound, garbage('a')];
  // That garbage of this kind stays is explained, and nothing else is to be checked.
  const { checks } = await healthReport(refused, objects);
  expect(checks.find(({ id }) => id === 'garbage')).toMatchObject({ overdue: 1, next: '' });
  expect(await healthWith(refused, objects)).toEqual([
    'works-except',
    'admission degraded',
    'garbage degraded',
  ]);
  // Garbage of another kind is not.
  const more = kube('v1 Secret c', { ...garbage('c').metadata, name: 'c' });
  expect(await healthWith(refused, [...objects, more])).toEqual([
    'unknown',
    'admission degraded',
    'garbage unknown',
  ]);
});

test('a conversion webhook that fails for a single object is broken, although the kind can be listed', async () => {
  const definition = kube(
    'apiextensions.k8s.io/v1 CustomResourceDefinition widgets.example.com',
    {},
    {
      spec: {
        conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://x/' } } },
      },
    },
  );
  const stored = kube('example.com/v1 Widget one', { namespace: 'shop' });
  const objects = [leaseOf(readAt), definition, stored];
  expect(await health(objects)).toEqual(['works']);
  const message =
    'cannot get widgets/one: conversion webhook for example.com/v2, Kind=Widget failed: refused';
  const unconverted = (query: Query) =>
    query.ask === 'object' && query.name === 'one' && { readAt, reason: 'unlistable', message };
  expect(await healthWith(unconverted, objects)).toEqual([
    'works-except',
    'kinds warning',
    'conversion-webhooks degraded',
  ]);
});

test('an event of an earlier leader or a deleted object may be about what was put right since', async () => {
  const lease = leaseOf(readAt);
  const acquireTime = '2026-05-31T23:00:00.000000Z';
  const led = { ...lease, spec: { ...(lease.spec as object), acquireTime } };
  const told = (lastTimestamp: string, about = {}) => {
    const involvedObject = { kind: 'ConfigMap', name: 'a', namespace: 'shop', ...about };
    const event = { reason: 'OwnerRefInvalidNamespace', lastTimestamp, involvedObject };
    return healthWith(({ ask }) => ask === 'events' && { readAt, value: [event] }, [led]);
  };
  expect(await told('2026-05-31T22:59:59Z')).toEqual(['works']);
  expect(await told('2026-05-31T23:30:00Z')).toEqual(['works', 'events warning']);
  // Its object was deleted.
  expect(await told('2026-05-31T23:30:00Z', { uid: 'gone' })).toEqual(['works']);
});

test('a webhook without a server is no exception where no object is of a kind that it judges', async () => {
  const rules = [{ apiGroups: ['toys.example.com'], resources: ['toys'], operations: ['DELETE'] }];
  const guard = kube(hook, {}, { webhooks: [{ ...asking, rules }] });
  expect(await health([leaseOf(readAt), guard])).toEqual(['works', 'admission warning']);
});

test('a webhook without a server is no exception for kinds that it judges only when they are created', async () => {
  const rule = { apiGroups: [''], resources: ['configmaps'], operations: ['CREATE'] };
  const rules = [rule, { ...rule, resources: ['events'], operations: ['DELETE'] }];
  const guard = kube(hook, {}, { webhooks: [{ ...asking, rules }] });
  const objects = [leaseOf(readAt), guard, kube('v1 ConfigMap web')];
  expect(await health(objects)).toEqual(['works', 'admission warning']);
});

test('a webhook without a server may refuse objects of a kind that could not be listed', async () => {
  const rules = [{ apiGroups: [''], resources: ['pods'], operations: ['DELETE'] }];
  const guard = kube(hook, {}, { webhooks: [{ ...asking, rules }] });
  const records = [bareRecord({ type: configMapType, namespace: 'shop', name: 'web' })];
  const withoutKind = (resource: string) => (query: Query) => {
    const unread = [{ resource, reason: 'forbidden', message: 'no' }];
    return query.ask === 'content' && { readAt, value: { records, unread } };
  };
  const known = ['unknown', 'kinds unknown'];
  const objects = [leaseOf(readAt), guard];
  expect(await healthWith(withoutKind('pods'), objects)).toEqual([...known, 'admission unknown']);
  expect(await healthWith(withoutKind('secrets'), objects)).toEqual([
    ...known,
    'admission warning',
  ]);
});

test('a deletion guard without a server is a warning, and one that answers is none', async () => {
  const service = { namespace: 'kubectl-gc', name: 'kubectl-gc-guard' };
  const guard = kube(
    hook,
    {},
    {
      webhooks: [
        {
          ...asking,
          name: 'guard.kubectl-gc.io',
          failurePolicy: 'Ignore',
          clientConfig: { service },
        },
      ],
    },
  );
  const { namespace, name } = service;
  const labels = { 'kubernetes.io/service-name': name };
  const served = [
    kube(`v1 Service ${name}`, { namespace }),
    kube(
      `discovery.k8s.io/v1 EndpointSlice ${name}-1`,
      { namespace, labels },
      { endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }] },
    ),
  ];
  const all = [leaseOf(readAt), guard];
  expect(await health(all)).toEqual(['works', 'guard warning']);
  expect(await health([...all, ...served])).toEqual(['works']);
});

test('a garbage collector that is minutes behind works, as objects are deleted while it is observed', async () => {
  const behind = Array.from({ length: 400 }, (_, index) => garbage(`of-${index}`));
  const records = behind.map((object) => recordOf(object, configMapType));
  const later = (left: number) => (query: Query) =>
    query.ask === 'content' &&
    query.isLater === true && { readAt, value: { records: records.slice(left), unread: [] } };
  expect(await healthWith(later(60), [leaseOf(readAt), ...behind])).toEqual(['works']);
  expect(await healthWith(later(0), [leaseOf(readAt), ...behind])).toEqual([
    'unknown',
    'garbage unknown',
  ]);
});

test.each([
  ['you may not', 'forbidden', 'unknown'],
  ['the server is busy', 'unavailable', 'unknown'],
  ['the list timed out', 'timed-out', 'unknown'],
  ['the kind is unlistable', 'unlistable', 'works-except'],
] as const)('an unlisted kind, as %s', async (_, reason, state) => {
  const unread = { resource: 'toys.example.com', reason, message: 'no' };
  const records = [bareRecord({ type: configMapType, namespace: 'shop', name: 'web' })];
  const answers = ({ ask }: Query) =>
    ask === 'content' && { readAt, value: { records, unread: [unread] } };
  expect(await healthWith(answers, [leaseOf(readAt)])).toEqual([
    state,
    `kinds ${reason === 'unlistable' ? 'degraded' : 'unknown'}`,
  ]);
});

test.each([false, true])('a webhook that admits a sample of deletions: %s', async (onlyReads) => {
  const clientConfig = { url: 'https://guard.example.com' };
  const outside = kube(hook, {}, { webhooks: [{ ...asking, clientConfig }] });
  const objects = [leaseOf(readAt), outside, kube('v1 ConfigMap web')];
  expect(await health(objects, servedTypes, onlyReads)).toEqual(['works']);
});

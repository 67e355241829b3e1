import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, ownedBy, pod } from '../../support/builders.ts';
import { planned, ruled } from './planned.ts';
import { unbound } from './told.ts';

const service = builderOf('v1', 'Service');
const slice = builderOf('discovery.k8s.io/v1', 'EndpointSlice');
const web = service('web', { facts: { selector: { matchLabels: { app: 'web' } } } });
const pods = ['a', 'b', 'c'].map((name) => pod(name, { labels: { app: 'web' }, facts: unbound }));
const [a] = pods as [ObjectRecord];

/** A slice of Service web that leads to these pods. */
function leadingTo(name: string, targets: readonly string[], addressType = 'IPv4'): ObjectRecord {
  const endpoints = targets.map((target) => ({ targetRef: { kind: 'Pod', name: target } }));
  return slice(name, {
    labels: {
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    },
    ownerReferences: [ownedBy(web, { controller: true })],
    facts: { addressType, endpoints },
  });
}

const fatesOf = (records: readonly ObjectRecord[], targets: readonly ObjectRecord[]) =>
  ruled(planned([web, ...pods, ...records], targets));

test('a slice that leads only to pods that go may go, where its Service has another one', () => {
  const slices = [leadingTo('one', ['a']), leadingTo('other', ['b', 'c'])];
  expect(fatesOf(slices, [a])).toEqual(['a: deleted (GC-61)', 'one: unknown (OTH-5)']);
});

test('the last slice of a Service, and one that leads to more, stay', () => {
  expect(fatesOf([leadingTo('one', ['a', 'b', 'c'])], pods)).toHaveLength(3);
  const both = [leadingTo('one', ['a', 'b']), leadingTo('other', ['c'])];
  expect(fatesOf(both, [a])).toEqual(['a: deleted (GC-61)']);
  const families = [leadingTo('four', ['a']), leadingTo('six', ['a'], 'IPv6')];
  expect(fatesOf(families, [a])).toEqual(['a: deleted (GC-61)']);
});

// Of seed 5200126 on a busy machine: a pod of the Service was deleted with it, and both of its slices went.
test('slices that are orphaned may be deleted: their controller deletes them if it syncs the Service meanwhile', () => {
  const slices = [leadingTo('one', ['a'])];
  const orphaning = (service: ObjectRecord) =>
    planned([service, ...slices], service, { policy: 'Orphan' });
  expect(ruled(orphaning(web))).toEqual(['web: deleted (GC-57)', 'one: unknown (OTH-6)']);
  const { selector: _, ...bare } = web.facts ?? {};
  expect(ruled(orphaning(service('web', { facts: bare })))).toEqual([
    'web: deleted (GC-57)',
    'one: orphaned (GC-37)',
  ]);
  const held = service('web', { ...web, finalizers: ['example.com/held'] });
  expect(
    orphaning(held).objects.map(({ name, fate, likely }) => `${name}: ${fate} ${likely}`),
  ).toEqual(['web: terminating undefined', 'one: deleted true']);
});

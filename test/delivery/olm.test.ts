import { expect, test } from 'vitest';
import { appliedBy, inventoryOf } from '../../src/delivery/tools.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { inWords } from '../../src/kube/object-reference.ts';
import { planned } from '../deletion/plan/planned.ts';
import { by, told } from '../deletion/plan/told.ts';
import { builderOf, clusterRole, deployment, ownedBy, widget } from '../support/builders.ts';
import { toolObject, toolTypes } from '../support/delivery.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const webhook = builderOf('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration');
const types = { types: toolTypes };
const operator = 'operators.coreos.com/widgets.delivery';

const csvOf = (name: string, metadata = {}, spec = {}): ObjectRecord =>
  toolObject(`operators.coreos.com/v1alpha1 ClusterServiceVersion ${name}`, {
    metadata: {
      finalizers: ['operators.coreos.com/csv-cleanup'],
      labels: { [operator]: '' },
      ...metadata,
    },
    spec,
  });
const ownerLabels = (kind: string, name: string) => ({
  'olm.owner': name,
  'olm.owner.namespace': 'delivery',
  'olm.owner.kind': kind,
});

const csv = csvOf('widgets.v1');
const labels = ownerLabels('ClusterServiceVersion', 'widgets.v1');
const program = deployment('runner', {
  namespace: 'delivery',
  labels,
  ownerReferences: [ownedBy(csv, { controller: false, blockOwnerDeletion: false })],
});
const role = clusterRole('widgets.v1-x7k', { labels });
const hook = webhook('widgets-x7k', { labels });
const crd = definition('widgets.example.com', { labels: { [operator]: '' } });
const copy = csvOf('widgets.v1', {
  namespace: 'shop',
  uid: 'uid-copy',
  finalizers: [],
  labels: { 'olm.copiedFrom': 'delivery', [operator]: '' },
});
const held = widget('held', { finalizers: ['acme.io/cleanup'] });
const subscription = toolObject('operators.coreos.com/v1alpha1 Subscription widgets', {
  metadata: { labels: { [operator]: '' } },
});
const cluster = [csv, program, role, hook, crd, copy, held, subscription];

const ends = (...given: Parameters<typeof planned>) =>
  planned(given[0], given[1], given[2], types).objects.map((object) => {
    const { fate, then, likely } = object;
    return `${inWords(object)}: ${fate}${then ? `, then ${then}` : ''}${likely ? ', likely' : ''}`;
  });

test('a ClusterServiceVersion takes along what OLM cleans up, its copies and its Deployments, and leaves its definitions', () => {
  expect(ends(cluster, csv)).toEqual([
    'ClusterServiceVersion widgets.v1 in namespace delivery: terminating, then deleted',
    'ClusterRole widgets.v1-x7k: kept, then deleted, likely',
    'ClusterServiceVersion widgets.v1 in namespace shop: kept, then deleted, likely',
    'Deployment runner in namespace delivery: kept, then deleted',
    'ValidatingWebhookConfiguration widgets-x7k: kept, then deleted, likely',
  ]);
  expect(told(cluster, csv, {}, types).join('\n')).toMatchInlineSnapshot(`
    "warning finalizer-deadlock: 1 Widget stays, with finalizer acme.io/cleanup, and can never be deleted without ClusterServiceVersion widgets.v1, which brought what removes it. To delete it as well: delete Widget held first, wait until it does not exist, then delete ClusterServiceVersion widgets.v1.
    warning delivered: OLM ClusterServiceVersion delivery/widgets.v1 applied 3 objects: 1 ClusterRole, 1 ClusterServiceVersion, 1 ValidatingWebhookConfiguration. They are deleted with their dependents before operators.coreos.com/csv-cleanup is removed from it.
    note delivered: 1 CustomResourceDefinition that OLM ClusterServiceVersion delivery/widgets.v1 applied stays: OLM leaves definitions and their objects.
    note recreated: OLM Subscription delivery/widgets may recreate 1 ClusterServiceVersion: that is up to what OLM resolves for its channel. To delete it for good, delete subscription.operators.coreos.com/widgets instead."
  `);
});

test('definitions are known by its spec where they have no label, and nothing waits for a program that another version brings', () => {
  const owned = { customresourcedefinitions: { owned: [{ name: 'widgets.example.com' }] } };
  const bare = csvOf('widgets.v1', { labels: {} }, owned);
  const plain = definition('widgets.example.com');
  const deadlocks = (records: readonly ObjectRecord[]) =>
    told(records, bare, {}, types).filter((line) => line.includes('finalizer-deadlock'));
  expect(deadlocks([bare, program, plain, held])).toHaveLength(1);
  const newer = csvOf('widgets.v2', { labels: {} }, owned);
  expect(deadlocks([bare, newer, program, plain, held])).toEqual([]);
});

test('objects that OLM checks an installation for are recreated, and no others', () => {
  const again = (record: ObjectRecord) =>
    told([csv, program, role, hook, crd, copy], record, {}, types).filter((line) =>
      line.includes(' recreated: '),
    );
  expect([...again(program), ...again(role)].join('\n')).toMatchInlineSnapshot(`
    "warning recreated: OLM ClusterServiceVersion delivery/widgets.v1 recreates 1 Deployment as soon as it is deleted. To delete it for good, delete clusterserviceversion.operators.coreos.com/widgets.v1 instead.
    note recreated: OLM ClusterServiceVersion delivery/widgets.v1 may recreate 1 ClusterRole: of ClusterRoles it makes those for its APIs, and no others. To delete it for good, delete clusterserviceversion.operators.coreos.com/widgets.v1 instead."
  `);
  expect(again(copy)).toHaveLength(1);
  expect(again(crd)).toEqual([]);
});

test('a Subscription takes nothing along', () => {
  expect(ends(cluster, subscription)).toEqual([
    'Subscription widgets in namespace delivery: deleted',
  ]);
  expect(told(cluster, subscription, {}, types)).toEqual([
    'note delivered: 1 ClusterServiceVersion that OLM Subscription delivery/widgets applied stays: OLM leaves what a Subscription installed.',
  ]);
});

test('the cluster roles of an OperatorGroup are deleted after it', () => {
  const group = toolObject('operators.coreos.com/v1 OperatorGroup all', {});
  const admin = clusterRole('olm.og.all.admin-x7k', {
    labels: ownerLabels('OperatorGroup', 'all'),
  });
  expect(ends([group, admin, role], group)).toEqual([
    'OperatorGroup all in namespace delivery: deleted',
    'ClusterRole olm.og.all.admin-x7k: deleted, likely',
  ]);
  expect(told([group, admin, role], group, {}, types)).toEqual([
    expect.stringMatching(
      /^warning delivered: OLM OperatorGroup delivery\/all .* 1 ClusterRole\. /,
    ),
  ]);
  const held = { ...group, finalizers: ['example.com/wait'] };
  expect(ends([held, admin], held)).toEqual([
    'OperatorGroup all in namespace delivery: terminating, then deleted',
    'ClusterRole olm.og.all.admin-x7k: kept, then deleted, likely',
  ]);
});

test('versions that are not known read as unknown, and a copy applied nothing', () => {
  const old = toolObject('operators.coreos.com/v9 ClusterServiceVersion widgets.v1', {});
  expect(inventoryOf(old)).toBe('unknown');
  expect(inventoryOf(copy)).toMatchObject({ keepsAllBecause: 'it is a copy', entries: [] });
  expect(appliedBy(program)?.who).toBe('OLM ClusterServiceVersion delivery/widgets.v1');
  expect(appliedBy(deployment('web', by(program)))).toBeUndefined();
});

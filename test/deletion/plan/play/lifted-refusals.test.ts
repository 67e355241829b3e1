import { expect, test } from 'vitest';
import { keptBy } from '../../../../src/deletion/plan/play/lifted-refusals.ts';
import {
  apiServiceType,
  bindingType,
  endpointSliceType,
  mutatingPolicyTypes,
  policyType,
  webhookConfigurationTypes,
} from '../../../../src/kube/core-types.ts';
import type { ObjectRecord } from '../../../../src/kube/object-record.ts';
import type { ResourceType } from '../../../../src/kube/resource-type.ts';
import {
  builderOf,
  configMap,
  deployment,
  node,
  objectOfType,
  ownedBy,
  ownedByGone,
  pod,
  snapshotOf,
} from '../../../support/builders.ts';
import { planned, ruled } from '../planned.ts';
import { namespace } from '../told.ts';

const deletes = (resource: string) => ({
  apiGroups: [''],
  operations: ['DELETE'],
  resources: [resource],
});
const updates = { ...deletes('configmaps'), operations: ['UPDATE'] };
const deletionTimestamp = '2026-01-02T00:00:00Z';
const [webhookType] = webhookConfigurationTypes;
const named = (type: ResourceType, facts: ObjectRecord['facts'] = {}) =>
  objectOfType(type, 'judge', { namespace: '', facts });
const webhook = (resource: string) =>
  named(webhookType, { webhooks: [{ name: 'a.example.com', rules: [deletes(resource)] }] });
const policy = (resource: string) => named(policyType, { policyRules: [deletes(resource)] });

const ready = node('ready', { facts: { conditions: [{ type: 'Ready', status: 'True' }] } });
const lost = pod('lost', { facts: { nodeName: 'gone', phase: 'Failed' } });
const ofLost = configMap('of-lost', { ownerReferences: [ownedBy(lost)] });
const garbage = configMap('garbage', { ownerReferences: [ownedByGone('apps/v1 Deployment gone')] });
const well = pod('well', { facts: { nodeName: 'ready', phase: 'Running' } });
const emptied = namespace('emptied', {
  deletionTimestamp: '2026-01-02T00:00:00Z',
  finalizers: [],
});
const cluster = [ready, lost, ofLost, garbage, well, emptied];

const goneWith = (judge: ObjectRecord, ...more: readonly ObjectRecord[]) =>
  ruled(planned([...cluster, judge, ...more], judge));

test('what controllers are due to delete might be deleted once the webhook that may refuse it is deleted, and what follows from it, too', () => {
  expect(goneWith(webhook('pods'))).toMatchInlineSnapshot(`
    [
      "judge: deleted (GC-61)",
      "of-lost: deleted (GC-22.13)",
      "lost: unknown (GC-43)",
    ]
  `);
});

test('the same of what garbage collection is due to delete, and a policy', () => {
  expect(goneWith(policy('configmaps'))).toMatchInlineSnapshot(`
    [
      "judge: deleted (GC-61)",
      "garbage: unknown (GC-43)",
    ]
  `);
});

test('a binding lifts what the policies may refuse', () => {
  expect(goneWith(named(bindingType), policy('pods'))).toMatchInlineSnapshot(`
    [
      "judge: deleted (GC-61)",
      "of-lost: deleted (GC-22.13)",
      "lost: unknown (GC-43)",
    ]
  `);
});

const mutating = (kind: 0 | 1, facts: ObjectRecord['facts'] = {}) =>
  named(mutatingPolicyTypes[kind] as ResourceType, facts);

test.each([
  ['the policy', mutating(0, { policyRules: [updates] }), []],
  ['a policy whose rules were not read', mutating(0), []],
  [
    'its binding',
    mutating(1),
    [{ ...mutating(0, { policyRules: [updates] }), name: 'other', uid: 'o' }],
  ],
])(
  'a change that a MutatingAdmissionPolicy may refuse goes through without %s',
  (_, judge, more) => {
    const held = configMap('held', { finalizers: ['foregroundDeletion'], deletionTimestamp });
    expect(ruled(planned([...cluster, held, judge, ...more], judge))).toContain(
      'held: unknown (GC-43)',
    );
  },
);

test('a policy about other kinds keeps no change', () => {
  const held = configMap('held', { finalizers: ['foregroundDeletion'], deletionTimestamp });
  const judge = mutating(0, { policyRules: [{ ...updates, resources: ['pods'] }] });
  expect(ruled(planned([...cluster, held, judge], judge))).toEqual(['judge: deleted (GC-61)']);
});

test('a terminating Namespace might be deleted once an API that does not answer is deleted, and not with one that answers', () => {
  const down = { conditions: [{ type: 'Available', status: 'False' }] };
  expect(goneWith(named(apiServiceType, down))).toMatchInlineSnapshot(`
    [
      "judge: deleted (GC-61)",
      "emptied: unknown (GC-71)",
    ]
  `);
  const up = { conditions: [{ type: 'Available', status: 'True' }] };
  expect(goneWith(named(apiServiceType, up))).toMatchInlineSnapshot(`
    [
      "judge: deleted (GC-61)",
    ]
  `);
});

test('nothing is due of a kind that a webhook is not asked about', () => {
  expect(goneWith(webhook('secrets'))).toMatchInlineSnapshot(`
    [
      "judge: deleted (GC-61)",
    ]
  `);
});

test('what might be deleted with a webhook might be deleted with the owner of that webhook', () => {
  const owner = builderOf('rbac.authorization.k8s.io/v1', 'ClusterRole')('owner');
  const owned = { ...webhook('pods'), ownerReferences: [ownedBy(owner)] };
  expect(ruled(planned([...cluster, owner, owned], owner))).toMatchInlineSnapshot(`
    [
      "owner: deleted (GC-61)",
      "judge: deleted (GC-22.13)",
      "of-lost: deleted (GC-22.13)",
      "lost: unknown (GC-43)",
    ]
  `);
});

const service = builderOf('v1', 'Service');
const ignoring = (failurePolicy: string) =>
  named(webhookType, {
    webhooks: [
      {
        name: 'a.example.com',
        failurePolicy,
        clientConfig: { service: { namespace: 'hooks', name: 'hook' } },
        rules: [deletes('pods')],
      },
    ],
  });
const inHooks = { namespace: 'hooks', facts: { selector: { matchLabels: { app: 'hook' } } } };
const hook = service('hook', inHooks);
const server = deployment('server', { namespace: 'hooks' });
const behind = (name: string, more: Partial<ObjectRecord> = {}) =>
  pod(name, {
    namespace: 'hooks',
    labels: { app: 'hook' },
    facts: { nodeName: 'ready', phase: 'Running' },
    ...more,
  });
const slice = objectOfType(endpointSliceType, 'hook-1', {
  namespace: 'hooks',
  labels: { 'kubernetes.io/service-name': 'hook' },
  facts: { endpoints: [{ ready: true }] },
});
const replaced = builderOf('apps/v1', 'StatefulSet')('set', {
  namespace: 'hooks',
  facts: { replicas: 1, selector: { matchLabels: { app: 'hook' } } },
});
const ofSet = { ownerReferences: [{ ...ownedBy(replaced), controller: true }] };

test.each<[string, readonly [ObjectRecord, ...ObjectRecord[]]]>([
  ['its Service is deleted', [hook]],
  ['all Pods of its Service are deleted', [behind('one'), hook]],
  [
    'its Pods are deleted with their owner',
    [server, hook, behind('one', { ownerReferences: [ownedBy(server)] })],
  ],
  ['its Pod is blocked by a finalizer', [behind('one', { finalizers: ['a.com/b'] }), hook]],
  ['its Pod is recreated', [behind('set-0', ofSet), replaced, hook]],
  [
    'its Service without a selector has no EndpointSlice',
    [slice, service('hook', { ...inHooks, facts: {} })],
  ],
  ['the namespace of its Service is deleted', [namespace('hooks'), hook, behind('one')]],
])(
  'what a webhook may refuse that is passed over when it does not answer might be deleted once %s',
  (_, [target, ...others]) => {
    const near = new Set([slice, target, ...others]);
    const goneWithout = (failurePolicy: string) =>
      ruled(planned([...cluster, ignoring(failurePolicy), ...near], target));
    expect(goneWithout('Ignore')).toEqual(
      expect.arrayContaining(['lost: unknown (GC-43)', 'of-lost: deleted (GC-22.13)']),
    );
    expect(goneWithout('Fail').filter((line) => line.includes('lost'))).toEqual([]);
  },
);

test('a webhook is not passed over while a Pod of its Service stays, or where no deletion is asked of it', () => {
  const [one, two] = [behind('one'), behind('two')];
  const lines = [
    planned([...cluster, ignoring('Ignore'), hook, one, two], one),
    planned([...cluster, { ...ignoring('Ignore'), ...webhook('secrets') }, hook], hook),
    planned([...cluster, ignoring('Ignore'), service('other', inHooks)], garbage),
  ].flatMap(ruled);
  expect(lines.filter((line) => line.includes('lost'))).toEqual([]);
});

test('what is due is found again where the same snapshot is asked with other settings', () => {
  const judge = webhook('configmaps');
  const snapshot = snapshotOf([...cluster, judge]);
  const dueWith = (controllers: readonly string[]) =>
    keptBy(snapshot, [judge], { controllers }, Date.parse('2026-01-03T00:00:00Z')).map(
      ({ object }) => object.name,
    );
  expect(dueWith(['*'])).toContain('garbage');
  expect(dueWith(['*', '-garbage-collector-controller'])).not.toContain('garbage');
});

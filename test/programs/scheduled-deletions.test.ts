import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { type KubeObject, recordOf } from '../../src/kube/record-codec.ts';
import { byPolicies } from '../../src/programs/time-to-live.ts';
import { ago, decide, decided, hour, timed } from '../controllers/decided.ts';
import { builderOf, configMap, customType, type Details, pod } from '../support/builders.ts';

const cleanup = customType('cleanuppolicies.kyverno.io/v2 CleanupPolicy');
const clusterCleanup = customType('clustercleanuppolicies.kyverno.io/v2 ClusterCleanupPolicy', {
  namespaced: false,
});
const deleting = customType('deletingpolicies.policies.kyverno.io/v1beta1 DeletingPolicy', {
  namespaced: false,
});
const namespacedDeleting = customType(
  'namespaceddeletingpolicies.policies.kyverno.io/v1beta1 NamespacedDeletingPolicy',
);

function policy(type: typeof cleanup, spec: object, status?: object): ObjectRecord {
  const metadata = {
    name: 'old-pods',
    uid: 'uid-policy',
    creationTimestamp: ago(hour / 2),
    ...(type.namespaced && { namespace: 'shop' }),
  };
  const object = {
    apiVersion: `${type.group}/${type.version}`,
    kind: type.kind,
    metadata,
    spec: { schedule: '0 * * * *', ...spec },
    ...(status && { status }),
  };
  return recordOf(object as KubeObject, type);
}

const matching = (resources: object, more: object = {}) =>
  policy(clusterCleanup, { match: { any: [{ resources }] }, ...more });
const namespace = builderOf('v1', 'Namespace');
const pods = { kinds: ['Pod'] };
const web = (details: Details = {}) => pod('web', { labels: { app: 'web' }, ...details });
const db = pod('db', { namespace: 'data' });
const settings = configMap('settings');
const all = [web(), db, settings];

test.each([
  ['a kind', matching(pods), ['web', 'db']],
  ['a kind with its version', matching({ kinds: ['v1/Pod'] }), ['web', 'db']],
  ['a kind of another group', matching({ kinds: ['apps/v1/Pod'] }), []],
  ['every kind', matching({ kinds: ['*'] }), ['web', 'db', 'settings', 'old-pods']],
  ['a name', matching({ ...pods, name: 'w*' }), ['web']],
  ['names', matching({ ...pods, names: ['api', 'd?'] }), ['db']],
  ['a namespace', matching({ ...pods, namespaces: ['dat*'] }), ['db']],
  ['labels', matching({ ...pods, selector: { matchLabels: { app: 'w*' } } }), ['web']],
  ['annotations that are not kept', matching({ ...pods, annotations: { a: 'b' } }), ['web', 'db']],
  [
    'all of several descriptions',
    policy(clusterCleanup, {
      match: { all: [{ resources: pods }, { resources: { namespaces: ['shop'] } }] },
    }),
    ['web'],
  ],
  [
    'all but what is excluded',
    matching(pods, { exclude: { any: [{ resources: { names: ['web'] } }] } }),
    ['db'],
  ],
  [
    'also what may be excluded',
    matching(pods, { exclude: { any: [{ resources: { annotations: { a: 'b' } } }] } }),
    ['web', 'db'],
  ],
  ['of its namespace alone', policy(cleanup, { match: { any: [{ resources: pods }] } }), ['web']],
  ['of a kind that it does not list', matching({ names: ['web'] }), []],
  ['nothing', policy(clusterCleanup, {}), []],
  [
    'rules as of a ValidatingAdmissionPolicy',
    policy(deleting, {
      matchConstraints: { resourceRules: [{ apiGroups: [''], resources: ['pods'] }] },
    }),
    ['web', 'db'],
  ],
  [
    'rules with names and exclusions',
    policy(deleting, {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], resources: ['pods', 'configmaps'] }],
        excludeResourceRules: [{ apiGroups: [''], resources: ['pods'], resourceNames: ['db'] }],
        objectSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
      },
    }),
    ['web'],
  ],
  [
    'rules in one namespace',
    policy(namespacedDeleting, {
      matchConstraints: { resourceRules: [{ apiGroups: ['*'], resources: ['*'] }] },
    }),
    ['web', 'settings', 'old-pods'],
  ],
])('a policy of Kyverno selects %s', (_, rules, names) => {
  expect(decided(byPolicies, [...all, rules]).sort()).toEqual(names.toSorted());
});

test('labels of a namespace decide where they were read', () => {
  const rules = matching({ ...pods, namespaceSelector: { matchLabels: { env: 'dev' } } });
  expect(decided(byPolicies, [...all, rules])).toEqual(['web', 'db']);
  const data = namespace('data', { labels: { env: 'dev' } });
  expect(decided(byPolicies, [...all, rules, data, namespace('shop')])).toEqual(['db']);
});

test.each([
  ['of its creation', {}, undefined, 0],
  ['of its last run', {}, { lastExecutionTime: ago(0) }, 3600],
  ['of a run that was missed', {}, { lastExecutionTime: ago(5 * hour) }, 0],
  ['of a schedule that cannot be read', { schedule: '@every 1h' }, undefined, 0],
])('a policy runs next after the time %s', (_, spec, status, seconds) => {
  const rules = policy(cleanup, { match: { any: [{ resources: pods }] }, ...spec }, status);
  expect(timed(byPolicies, [web(), rules])).toEqual([['web', seconds, undefined]]);
});

test('what a policy of Kyverno deletes is never certain', () => {
  const decisions = [
    matching(pods),
    policy(deleting, {
      matchConstraints: { resourceRules: [{ apiGroups: [''], resources: ['pods'] }] },
    }),
  ].flatMap((rules) => decide(byPolicies, [web(), rules]));
  expect(decisions.map(({ rule, confidence }) => [rule, confidence])).toEqual([
    ['LIFE-5', 'unknown'],
    ['LIFE-6', 'unknown'],
  ]);
});

test('a policy or an object that is being deleted, and a policy without its spec, delete nothing', () => {
  const bare = { ...matching(pods), facts: undefined };
  const going = { ...matching(pods), deletionTimestamp: ago(0) };
  expect(decide(byPolicies, [web(), bare, going])).toEqual([]);
  expect(decide(byPolicies, [web({ deletionTimestamp: ago(0) }), matching(pods)])).toEqual([]);
});

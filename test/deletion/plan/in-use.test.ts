import { expect, test } from 'vitest';
import type { ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  builderOf,
  configMap,
  deployment,
  ownedBy,
  pod,
  replicaSet,
  secret,
  widget,
} from '../../support/builders.ts';
import { planned } from './planned.ts';
import { namespace } from './told.ts';

const account = builderOf('v1', 'ServiceAccount');
const claim = builderOf('v1', 'PersistentVolumeClaim');
const storageClass = builderOf('storage.k8s.io/v1', 'StorageClass');
const priorityClass = builderOf('scheduling.k8s.io/v1', 'PriorityClass');
const runtimeClass = builderOf('node.k8s.io/v1', 'RuntimeClass');
const cronJob = builderOf('batch/v1', 'CronJob');

/** Who uses the first object after its deletion: `warning: Deployment web`. */
function usersAfter(target: ObjectRecord, ...others: readonly ObjectRecord[]) {
  const { objects, remarks } = planned([target, ...others], target);
  const users = (objects[0]?.usedBy ?? []).map(({ kind, name }) => `${kind} ${name}`);
  const found = remarks.filter(({ code }) => code === 'in-use');
  return [...found.map(({ severity }) => severity), ...users].join(' ');
}

const running = (facts: ObjectFacts) => pod('p', { facts: { nodeName: 'a', ...facts } });
const inTemplate = (facts: ObjectFacts) => deployment('web', { facts });

test.each<[string, ObjectRecord, ObjectRecord, string]>([
  [
    'a ConfigMap that a Pod mounts',
    configMap('c'),
    running({ volumes: [{ name: 'v', configMapName: 'c' }] }),
    'Pod p',
  ],
  [
    'a ConfigMap of a projected volume',
    configMap('c'),
    running({ volumes: [{ name: 'v', projected: [{ configMapName: 'c' }] }] }),
    'Pod p',
  ],
  [
    'a Secret of a variable',
    secret('s'),
    running({ containers: [{ name: 'c', env: [{ secretName: 's' }] }] }),
    'Pod p',
  ],
  [
    'a ConfigMap in the environment of a template',
    configMap('c'),
    inTemplate({ containers: [{ name: 'c', environments: [{ configMapName: 'c' }] }] }),
    'Deployment web',
  ],
  [
    'a ServiceAccount of a template',
    account('a'),
    inTemplate({ serviceAccountName: 'a', containers: [{ name: 'c' }] }),
    'Deployment web',
  ],
  [
    'a Secret in the template of a CronJob',
    secret('s'),
    cronJob('j', { facts: { podTemplate: { imagePullSecrets: ['s'] } } }),
    'CronJob j',
  ],
  [
    'a claim in a template',
    claim('d'),
    inTemplate({ podTemplate: { volumes: [{ name: 'v', claimName: 'd' }] } }),
    'Deployment web',
  ],
  [
    'the class of a claim',
    storageClass('fast', { namespace: '' }),
    claim('d', { facts: { storageClassName: 'fast' } }),
    'PersistentVolumeClaim d',
  ],
  [
    'the class of a template of claims',
    storageClass('fast', { namespace: '' }),
    builderOf('apps/v1', 'StatefulSet')('db', {
      facts: { volumeClaimTemplates: [{ name: 'data', storageClassName: 'fast' }] },
    }),
    'StatefulSet db',
  ],
  [
    'the class of an ephemeral volume in a template',
    storageClass('fast', { namespace: '' }),
    inTemplate({
      podTemplate: { volumes: [{ name: 'v', ephemeral: true, storageClassName: 'fast' }] },
    }),
    'Deployment web',
  ],
  [
    'the priority of a Pod',
    priorityClass('high', { namespace: '' }),
    running({ priorityClassName: 'high' }),
    'Pod p',
  ],
  [
    'the runtime of a template',
    runtimeClass('gvisor', { namespace: '' }),
    inTemplate({ podTemplate: { runtimeClassName: 'gvisor' } }),
    'Deployment web',
  ],
])('%s is missing afterwards', (_, target, user, expected) => {
  expect(usersAfter(target, user)).toBe(`warning ${expected}`);
});

test('the Secrets that a ServiceAccount gives to its Pods are used by it', () => {
  const builder = account('builder', { facts: { imagePullSecrets: ['s'] } });
  expect(usersAfter(secret('s'), builder)).toBe('warning ServiceAccount builder');
});

test('what is needed by optional references alone is missing to none', () => {
  const optional = { configMapName: 'c', optionalConfigMap: true };
  const mounted = running({ volumes: [{ name: 'v', ...optional }] });
  const variable = running({ containers: [{ name: 'c', env: [optional] }] });
  const projected = running({ volumes: [{ name: 'v', projected: [optional] }] });
  const uses = [mounted, variable, projected].map((one) => usersAfter(configMap('c'), one));
  expect(uses).toEqual(['note Pod p', 'note Pod p', 'note Pod p']);
  const needed = deployment('web', {
    facts: { podTemplate: { volumes: [{ name: 'v', configMapName: 'c' }] } },
  });
  expect(usersAfter(configMap('c'), mounted, needed)).toMatch(/^warning /);
});

test('a workload is named for its ReplicaSets and Pods, and an object of another namespace is not', () => {
  const facts = { containers: [{ name: 'c', environments: [{ configMapName: 'c' }] }] };
  const web = deployment('web', { facts });
  const revision = replicaSet('web-1', { facts, ownerReferences: [ownedBy(web)] });
  const elsewhere = deployment('far', { facts, namespace: 'bank' });
  expect(usersAfter(configMap('c'), web, revision, elsewhere)).toBe('warning Deployment web');
});

test('where nothing that was read uses an object, that it is unused is not said', () => {
  const p = running({});
  expect(usersAfter(secret('s'), p)).toBe('note');
  expect(usersAfter(secret('s'), pod('bare'))).toBe('note');
  // Nothing but Pods and workloads uses a claim.
  expect(usersAfter(claim('d'), p)).toBe('');
});

test('what is deleted with its users is missing to none, nor is what is recreated', () => {
  const shop = namespace('shop', { namespace: '' });
  const user = running({ volumes: [{ name: 'v', configMapName: 'c' }] });
  const all = [shop, configMap('c'), user];
  const { remarks } = planned(all, shop);
  expect(remarks.filter(({ code }) => code === 'in-use')).toEqual([]);
  const both = planned([configMap('c'), user], [configMap('c'), user]);
  expect(both.objects.flatMap(({ usedBy = [] }) => usedBy)).toEqual([]);
  const certificates = configMap('kube-root-ca.crt');
  const mounting = running({ volumes: [{ name: 'v', configMapName: 'kube-root-ca.crt' }] });
  expect(usersAfter(certificates, shop, mounting)).toBe('');
});

test('of a class, those come last that have their volume', () => {
  const named = { storageClassName: 'fast' };
  const bound = claim('a', { facts: { ...named, phase: 'Bound' } });
  const volume = builderOf('v1', 'PersistentVolume')('pv', { namespace: '', facts: named });
  const waiting = claim('z', { facts: { ...named, phase: 'Pending' } });
  const fast = storageClass('fast', { namespace: '' });
  expect(usersAfter(fast, bound, volume, waiting)).toBe(
    'warning PersistentVolumeClaim z PersistentVolume pv PersistentVolumeClaim a',
  );
});

test('what a program makes again is missing until then', () => {
  const owner = widget('registry');
  const kept = secret('s', { ownerReferences: [ownedBy(owner, { controller: true })] });
  const user = running({ volumes: [{ name: 'v', secretName: 's' }] });
  expect(usersAfter(kept, owner, user)).toBe('warning Pod p');
});

test('what fails without an object depends on its kind', () => {
  const everything = running({
    serviceAccountName: 'a',
    priorityClassName: 'high',
    volumes: [
      { name: 'v', configMapName: 'c' },
      { name: 'w', secretName: 's' },
    ],
  });
  const targets = [account('a'), configMap('c'), priorityClass('high', { namespace: '' })];
  const { remarks } = planned([...targets, everything], targets);
  const messages = remarks.filter(({ code }) => code === 'in-use').map(({ message }) => message);
  expect(messages.sort()).toMatchInlineSnapshot(`
    [
      "ConfigMap c is mounted by Pod p: new containers may not start without it.",
      "PriorityClass high is referenced by Pod shop/p: the API server refuses new Pods.",
      "ServiceAccount a is referenced by Pod p: the API server refuses new Pods, and tokens of running ones become invalid.",
    ]
  `);
});

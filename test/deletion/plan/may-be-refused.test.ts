import { describe, expect, test } from 'vitest';
import { refusalsBy } from '../../../src/deletion/plan/proven-refusals.ts';
import {
  type AdmissionRules,
  judgesAlong,
  mayBeRefused,
} from '../../../src/deletion/remarks/may-be-refused.ts';
import {
  namespaceType,
  policyType,
  webhookConfigurationTypes,
} from '../../../src/kube/core-types.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, configMap, ownedBy, pod, secret, snapshotOf } from '../../support/builders.ts';
import { endsOf, planned } from './planned.ts';
import { namespace } from './told.ts';

const root = configMap('root');
const owned = { ownerReferences: [ownedBy(root)] };
const guarded = secret('guarded', { ...owned, labels: { guarded: 'yes' } });
const plain = pod('plain', owned);
const records = [root, guarded, plain];

const rule = (changes: object = {}) => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['DELETE'],
  resources: ['secrets', 'pods'],
  ...changes,
});
const nothing: AdmissionRules = {
  webhooks: [],
  policies: [],
  bindings: [],
  namespaces: [],
};
const [webhookType] = webhookConfigurationTypes;

const named = (name: string) => ({ apiVersion: '', kind: '', metadata: { name } });
const hook = (webhook: object): AdmissionRules => {
  if (!webhookType) throw new Error('no type');
  const object = { ...named('hook'), webhooks: [webhook] };
  return { ...nothing, webhooks: [{ object, type: webhookType }] };
};
const policy = (spec: object, ...bindings: readonly object[]): AdmissionRules => {
  const full = { validations: [{ expression: 'false' }], ...spec };
  return {
    ...nothing,
    policies: [{ object: { ...named('policy'), spec: full }, type: policyType }],
    bindings: bindings.map((one) => ({
      ...named('binding'),
      spec: { policyName: 'policy', validationActions: ['Deny'], ...one },
    })),
  };
};

/** `Secret, Pod`: what may be refused; undefined without a remark. */
function judged(rules: AdmissionRules, all: readonly ObjectRecord[] = records, target = root) {
  const [remark] = mayBeRefused(judgesAlong(planned(all, target), all, rules));
  return remark && /\((.*)\)/.exec(remark.message)?.[1];
}

describe('a webhook may refuse the deletion of dependents', () => {
  test.each([
    ['by its rules', {}, '1 Pod, 1 Secret'],
    ['all kinds and groups', { apiGroups: ['*'], resources: ['*/*'] }, '1 Pod, 1 Secret'],
    ['only of namespaces', { scope: 'Cluster' }, undefined],
    ['another group', { apiGroups: ['apps'] }, undefined],
    ['a subresource alone', { resources: ['pods/status'] }, undefined],
    ['when it is created', { operations: ['CREATE', 'UPDATE'] }, undefined],
    ['whatever is done', { operations: ['*'], resources: ['pods'] }, '1 Pod'],
  ])('%s', (_, changes, words) => {
    expect(judged(hook({ rules: [rule(changes)] }))).toBe(words);
  });

  test('but for the guard, which is asked about requests of users alone', () => {
    expect(judged(hook({ name: 'guard.kubectl-gc.io', rules: [rule()] }))).toBeUndefined();
  });

  test('not what was named, which the server answers itself', () => {
    expect(judged(hook({ rules: [rule({ resources: ['configmaps'] })] }))).toBeUndefined();
  });

  test('by labels of the object, and of its namespace where they are known', () => {
    const rules = [rule()];
    const objectSelector = { matchLabels: { guarded: 'yes' } };
    expect(judged(hook({ rules, objectSelector }))).toBe('1 Secret');
    const namespaceSelector = { matchLabels: { team: 'a' } };
    const selecting = hook({ rules, namespaceSelector });
    expect(judged(selecting)).toBe('1 Pod, 1 Secret');
    const home = namespace('shop', { labels: { team: 'b' } });
    expect(home.type).toEqual(expect.objectContaining({ kind: namespaceType.kind }));
    expect(judged({ ...selecting, namespaces: [home] })).toBeUndefined();
    const whole = [...records, home];
    expect(judged(selecting, whole, home)).toBeUndefined();
  });
});

describe('a policy may refuse the deletion of dependents', () => {
  const matchConstraints = { resourceRules: [rule()] };

  test('only where it is bound and denies, and has something to say', () => {
    expect(judged(policy({ matchConstraints }))).toBeUndefined();
    expect(judged(policy({ matchConstraints }, {}))).toBe('1 Pod, 1 Secret');
    expect(
      judged(policy({ matchConstraints }, { validationActions: ['Warn', 'Audit'] })),
    ).toBeUndefined();
    expect(judged(policy({ matchConstraints }, { policyName: 'other' }))).toBeUndefined();
    expect(judged(policy({ matchConstraints, validations: [] }, {}))).toBeUndefined();
  });

  test('without what it or its binding leaves out', () => {
    const excludeResourceRules = [rule({ resources: ['pods'] })];
    const excluding = { matchConstraints: { ...matchConstraints, excludeResourceRules } };
    expect(judged(policy(excluding, {}))).toBe('1 Secret');
    const matchResources = { objectSelector: { matchLabels: { guarded: 'yes' } } };
    expect(judged(policy({ matchConstraints }, { matchResources }))).toBe('1 Secret');
    const resourceRules = [rule({ resourceNames: ['plain'] })];
    expect(judged(policy({ matchConstraints }, { matchResources: { resourceRules } }))).toBe(
      '1 Pod',
    );
  });
});

test('several are named in one remark, which says how many objects they are asked about', () => {
  const rules = {
    ...policy({ matchConstraints: { resourceRules: [rule({ resources: ['pods'] })] } }, {}),
    webhooks: hook({ rules: [rule()] }).webhooks,
  };
  expect(mayBeRefused(judgesAlong(planned(records, root), records, rules))).toEqual([
    {
      code: 'may-be-refused',
      severity: 'note',
      message:
        'The API server asks ValidatingWebhookConfiguration hook (1 Pod, 1 Secret), ValidatingAdmissionPolicy policy (1 Pod) before it deletes 2 further objects. A refused object remains.',
      objects: [
        expect.objectContaining({ kind: 'ValidatingWebhookConfiguration', name: 'hook' }),
        expect.objectContaining({ kind: 'ValidatingAdmissionPolicy', name: 'policy' }),
      ],
    },
  ]);
});

const configurationOf = builderOf(
  'admissionregistration.k8s.io/v1',
  'ValidatingWebhookConfiguration',
);
const dead = (changes: object = {}) =>
  configurationOf('hook', {
    facts: {
      webhooks: [
        {
          name: 'gone',
          rules: [rule()],
          clientConfig: { service: { namespace: 'shop', name: 'gone' } },
          objectSelector: { matchLabels: { guarded: 'yes' } },
          ...changes,
        },
      ],
    },
  });

test.each([
  ['whose Service does not exist', {}, 'kept, then deleted (gone of Secret guarded)'],
  ['that is asked at a URL', { clientConfig: { url: 'https://x' } }, 'deleted'],
  ['that may be passed over', { failurePolicy: 'Ignore' }, 'deleted'],
  ['whose conditions are unknown', { matchConditions: [{ name: 'a' }] }, 'deleted'],
])('a webhook %s keeps a dependent only where it must be asked', (_, changes, expected) => {
  const plan = planned([...records, dead(changes)], root);
  expect(endsOf(plan).sort()).toEqual([
    'ConfigMap root: deleted',
    'Pod plain: deleted',
    `Secret guarded: ${expected}`,
  ]);
  const mayBe = plan.remarks.filter(({ code }) => code === 'may-be-refused');
  expect(mayBe.flatMap(({ objects }) => objects.map(({ name }) => name))).toEqual(
    expected === 'deleted' ? [] : ['guarded'],
  );
});

test('what was read apart refuses the same, and is not said to be asked as well', () => {
  const hook1 = dead();
  const judges = snapshotOf([hook1]);
  const refusals = refusalsBy(judges, { records }, 'delete');
  const plan = planned(records, root, {}, {}, { refusals });
  expect(endsOf(plan)).toContain('Secret guarded: kept, then deleted (gone of Secret guarded)');
  const open = mayBeRefused(judgesAlong(plan, records, hook({ rules: [rule()] })));
  expect(open[0]?.message).toContain('(1 Pod)');
});

test('a Pod that no controller has had is not said to be adopted where a webhook keeps it', () => {
  const shop = namespace('shop');
  const bare = pod('bare', { labels: { guarded: 'yes' } });
  const { objects, remarks } = planned([shop, bare, dead()], shop);
  expect(objects.find(({ name }) => name === 'bare')?.fate).toBe('kept');
  expect(remarks.map(({ code }) => code)).not.toContain('adopted');
});

test('a namespace waits for the webhook that is asked about its content, and so does what the content owns', () => {
  const shop = namespace('shop');
  const below = configMap('below', { ownerReferences: [ownedBy(guarded)] });
  const plan = planned([shop, secret('guarded', { labels: { guarded: 'yes' } }), dead()], shop);
  expect(endsOf(plan)).toEqual([
    'Namespace shop: terminating, then deleted (gone of Secret guarded)',
    'Secret guarded: kept, then deleted (gone of Secret guarded)',
  ]);
  expect(endsOf(planned([...records, below, dead()], root))).toContain(
    'ConfigMap below: kept, then deleted (gone of Secret guarded)',
  );
});

test('a webhook whose configuration is deleted as well refuses nothing any more', () => {
  const configuration = dead();
  const plan = planned([...records, configuration], [root, configuration]);
  expect(plan.objects.flatMap(({ name, waitsFor }) => (waitsFor ? name : []))).toEqual([]);
});

describe('what the API server refuses', () => {
  test('stays with all below it, and has no request', () => {
    const plan = planned(records, root, { refused: new Map([[root.uid, 'not today']]) });
    expect(plan.requests).toEqual([]);
    expect(plan.objects.map(({ name, fate, because }) => [name, fate, because])).toEqual([
      ['root', 'kept', 'the API server refuses this: not today'],
    ]);
    expect(plan.refusals).toEqual([
      {
        code: 'refused-by-server',
        object: expect.objectContaining({ kind: 'ConfigMap', name: 'root' }),
        message: 'the API server refuses this: ConfigMap shop/root: not today',
        suggestions: [],
      },
    ]);
  });

  test('goes all the same with an owner that is accepted', () => {
    const plan = planned(records, [root, guarded], {
      refused: new Map([[guarded.uid, 'not today']]),
    });
    expect(plan.requests.map(({ name }) => name)).toEqual(['root']);
    expect(plan.objects.map(({ name, fate }) => [name, fate])).toEqual([
      ['root', 'deleted'],
      ['guarded', 'deleted'],
      ['plain', 'deleted'],
    ]);
  });
});

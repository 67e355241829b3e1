import { describe, expect, test } from 'vitest';
import { type AdmissionRules, mayBeRefused } from '../../../src/deletion/remarks/may-be-refused.ts';
import {
  namespaceType,
  policyType,
  webhookConfigurationTypes,
} from '../../../src/kube/core-types.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { configMap, ownedBy, pod, secret } from '../../support/builders.ts';
import { planned } from './planned.ts';
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
  missingServices: new Set(),
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
  const [remark] = mayBeRefused(planned(all, target), all, rules);
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
  expect(mayBeRefused(planned(records, root), records, rules)).toEqual([
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

test.each([
  ['whose Service does not exist', {}, ['warning Secret guarded', 'note']],
  ['that is asked at a URL', { clientConfig: { url: 'https://x' } }, ['note']],
  ['that may be passed over', { failurePolicy: 'Ignore' }, ['note']],
  ['whose conditions are unknown', { matchConditions: [{ name: 'a', expression: 'b' }] }, ['note']],
])('a webhook %s refuses what it must be asked about, or may refuse it', (_, changes, expected) => {
  const objectSelector = { matchLabels: { guarded: 'yes' } };
  const clientConfig = { service: { namespace: 'shop', name: 'gone' } };
  const [dead] = hook({
    name: 'gone',
    rules: [rule()],
    clientConfig,
    objectSelector,
    ...changes,
  }).webhooks;
  const other = hook({ name: 'other', rules: [rule({ resources: ['pods'] })] }).webhooks;
  const missingServices = new Set(['shop/gone']);
  const rules = { ...nothing, webhooks: [...(dead ? [dead] : []), ...other], missingServices };
  const found = mayBeRefused(planned(records, root), records, rules).map(({ severity, objects }) =>
    severity === 'note'
      ? severity
      : [severity, ...objects.map(({ kind, name }) => `${kind} ${name}`)].join(' '),
  );
  expect(found).toEqual(expected);
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

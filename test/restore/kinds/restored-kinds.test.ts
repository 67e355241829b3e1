import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { rankOf, restoredKind, restoredKinds } from '../../../src/restore/kinds/restored-kinds.ts';
import { customType, servedTypes } from '../../support/builders.ts';
import { kube, plan, saved, told } from '../saved.ts';

const rankOfKind = (text: string, fields: object = {}, needsThere = true) =>
  rankOf(saved(kube(text, {}, fields)), { needsThere });

test('every kind that the table names is a built-in kind', () => {
  const served = new Set(servedTypes.all.map(({ group, resource }) => `${resource}.${group}`));
  const unknown = Object.keys(restoredKinds).filter(
    (kind) => !served.has(kind.includes('.') ? kind : `${kind}.`),
  );
  expect(unknown).toEqual([]);
});

describe('what governs is restored before what it governs', () => {
  const pod = 'v1 Pod web';
  const claim = 'v1 PersistentVolumeClaim data';
  test.each([
    ['v1 Namespace shop', 'v1 LimitRange limits'],
    [
      'apiextensions.k8s.io/v1 CustomResourceDefinition widgets.example.com',
      'v1 ServiceAccount web',
    ],
    ['v1 LimitRange limits', claim],
    ['v1 LimitRange limits', pod],
    ['v1 ResourceQuota quota', 'v1 ConfigMap settings'],
    ['networking.k8s.io/v1 NetworkPolicy deny-all', pod],
    ['policy/v1 PodDisruptionBudget web', pod],
    ['scheduling.k8s.io/v1 PriorityClass high', pod],
    ['node.k8s.io/v1 RuntimeClass sandbox', pod],
    ['storage.k8s.io/v1 StorageClass fast', claim],
    ['rbac.authorization.k8s.io/v1 Role reader', 'apps/v1 Deployment operator'],
    ['rbac.authorization.k8s.io/v1 ClusterRoleBinding reader', 'example.com/v1 Widget w'],
    ['admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy limits', pod],
    ['admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding limits', pod],
    ['v1 ServiceAccount web', 'v1 Secret token'],
    ['v1 PersistentVolume disk', 'v1 Secret key'],
    [claim, 'apps/v1 StatefulSet db'],
    ['v1 Secret key', 'batch/v1 Job once'],
    ['apps/v1 ControllerRevision db-1', 'apps/v1 StatefulSet db'],
    ['v1 Service web', 'apps/v1 Deployment web'],
    ['apps/v1 Deployment web', 'autoscaling/v2 HorizontalPodAutoscaler web'],
    ['apps/v1 Deployment web', 'networking.k8s.io/v1 Ingress web'],
  ])('%s before %s', (first, then) => {
    expect(rankOfKind(first)).toBeLessThan(rankOfKind(then));
  });

  test('a network policy of a plugin, whatever its kind', () => {
    const type = customType('ciliumnetworkpolicies.cilium.io/v2 CiliumNetworkPolicy');
    const policy = saved(kube(pod), { type });
    expect(rankOf(policy, { needsThere: true })).toBe(
      rankOfKind('networking.k8s.io/v1 NetworkPolicy deny-all'),
    );
  });
});

describe('admission that needs what is restored decides about nothing before it is there', () => {
  const webhook = 'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration inject';
  const calls = (service: object) => ({ webhooks: [{ name: 'a.b.c', clientConfig: { service } }] });
  const mesh = calls({ namespace: 'shop', name: 'mesh' });
  const app = saved(kube('apps/v1 Deployment app'));
  const service = kube('v1 Service mesh');

  test('a webhook whose Service is there governs', () => {
    const objects = [app, saved(kube(webhook, {}, mesh))];
    expect(told(plan(objects, { there: [service] }))[0]).toContain('inject create');
  });

  test('a webhook does not where Pods are restored beside its Service: its program may be one of them', () => {
    const spec = { template: { spec: { containers: [] } } };
    const program = saved(kube('apps/v1 Deployment mesh', {}, { spec }));
    const planned = plan([saved(kube(webhook, {}, mesh)), program], { there: [service] });
    expect(planned.map(({ saved: { name } }) => name)).toEqual(['mesh', 'inject']);
  });

  test('a webhook whose Service is restored, or was not read, does not', () => {
    const objects = [saved(kube(webhook, {}, mesh)), app, saved(service)];
    expect(told(plan(objects)).map((one) => one.split(' ')[1])).toEqual([
      'services/mesh',
      'deployments.apps/app',
      'mutatingwebhookconfigurations.admissionregistration.k8s.io/inject',
    ]);
    const unread = plan([objects[0] ?? app, app], { forbidden: ['v1 Service mesh'] });
    expect(unread.map(({ saved: { name } }) => name)).toEqual(['app', 'inject']);
  });

  test('a binding with parameters does not', () => {
    const binding = 'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding limits';
    const spec = { paramRef: { name: 'settings', parameterNotFoundAction: 'Deny' } };
    expect(rankOfKind(binding, { spec })).toBeGreaterThan(rankOfKind('v1 Pod web'));
  });
});

test.each([
  ['without a status', 'spec: {hard: {pods: "1"}}', false],
  [
    'counted partly',
    'spec: {hard: {pods: "1", secrets: "1"}}\nstatus: {hard: {pods: "1"}, used: {pods: "0"}}',
    false,
  ],
  ['not used yet', 'spec: {hard: {pods: "1"}}\nstatus: {hard: {pods: "1"}, used: {}}', false],
  [
    'that is counted',
    'spec: {hard: {pods: "1"}}\nstatus: {hard: {pods: "1"}, used: {pods: "0"}}',
    true,
  ],
  ['that limits nothing', 'spec: {}', true],
])('a ResourceQuota %s is in force: %s', (_, text, expected) => {
  const { type } = saved(kube('v1 ResourceQuota quota'));
  expect(restoredKind(type).inForce?.isSo(parse(text))).toBe(expected);
});

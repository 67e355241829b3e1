import { expect, test } from 'vitest';
import { dangersIn, planPruning } from '../../../src/deletion/plan/plan-pruning.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { planMarkdown } from '../../../src/questions/delete/plan-markdown.ts';
import { builderOf, configMap, deployment, pod, snapshotOf } from '../../support/builders.ts';
import { context } from './planned.ts';
import { by, namespace } from './told.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim');
const volume = (policy: string) =>
  builderOf('v1', 'PersistentVolume')('disk', {
    facts: {
      claimRef: { namespace: 'shop', name: 'data', uid: '' },
      persistentVolumeReclaimPolicy: policy,
    },
  });
const manifest = (record: ObjectRecord) => ({ ...record, uid: '' });

function pruned(
  before: readonly ObjectRecord[],
  after: readonly ObjectRecord[],
  cluster?: readonly ObjectRecord[],
) {
  return planPruning(
    {
      before: snapshotOf(before.map(manifest)),
      after: snapshotOf(after.map(manifest)),
      cluster: cluster && snapshotOf(cluster),
      namespace: 'shop',
    },
    context,
  );
}

test('objects are the same by group, kind, namespace and name, whatever their version', () => {
  const beta = builderOf('autoscaling/v1', 'HorizontalPodAutoscaler')('web');
  const stable = builderOf('autoscaling/v2', 'HorizontalPodAutoscaler')('web');
  const bare = { ...configMap('a'), namespace: '' };
  const plan = pruned([beta, bare, configMap('b')], [stable, configMap('a')]);
  expect(plan.requests.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['ConfigMap b']);
});

test('pruned objects are deleted with all their dependents in the snapshot of a cluster', () => {
  const web = deployment('web');
  const run = pod('web-1', { ...by(web), facts: { nodeName: '' } });
  const plan = pruned([web, configMap('gone')], [], [web, run]);
  expect(plan.objects.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'Deployment web',
    'Pod web-1',
  ]);
  expect(plan.remarks).toMatchObject([
    { code: 'delivered', message: expect.stringMatching(/^1 object /) },
  ]);
});

test('a namespace, a definition and a claim that loses its data are grave, and one that is kept is not', () => {
  const data = claim('data', { facts: { volumeName: 'disk' } });
  const definition = builderOf(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
  )('jars.example.org');
  expect(dangersIn(pruned([namespace('shop'), definition], []))).toEqual([
    'Namespace shop',
    'CustomResourceDefinition jars.example.org',
  ]);
  expect(dangersIn(pruned([data], [], [data, volume('Delete')]))).toEqual([
    'PersistentVolumeClaim shop/data',
  ]);
  expect(dangersIn(pruned([data], [], [data, volume('Retain')]))).toEqual([]);
  // Of a manifest it is not known whether it is bound.
  expect(dangersIn(pruned([claim('data', { facts: {} })], []))).toEqual([
    'PersistentVolumeClaim shop/data',
  ]);
  expect(dangersIn(pruned([configMap('a')], []))).toEqual([]);
});

test('pruned objects that a tool would keep are counted all the same, and named', () => {
  const marked = configMap('a', { annotations: { 'helm.sh/resource-policy': 'keep' } });
  const flux = configMap('b', { annotations: { 'kustomize.toolkit.fluxcd.io/prune': 'Disabled' } });
  const argo = configMap('c', {
    annotations: { 'argocd.argoproj.io/sync-options': 'Validate=false, Prune=false' },
  });
  const plan = pruned([marked, flux, argo], []);
  expect(plan.requests).toHaveLength(3);
  const ofTools = plan.remarks.filter(({ code }) => code !== 'in-use');
  expect(ofTools.map(({ message }) => message)).toEqual([
    'Helm leaves 1 ConfigMap, by helm.sh/resource-policy: keep; another tool does not.',
    'Flux leaves 1 ConfigMap, by kustomize.toolkit.fluxcd.io/prune: Disabled; another tool does not.',
    'Argo CD leaves 1 ConfigMap, by argocd.argoproj.io/sync-options: Prune=false; another tool does not.',
  ]);
});

test('a comment says so without own markup, or that there are no objects', () => {
  const options = { colour: false, width: undefined, now: context.now };
  expect(planMarkdown(pruned([], []), options)).toBe('## Nothing is pruned\n');
  const text = planMarkdown(pruned([configMap('a_<b>|')], []), options);
  expect(text).toContain('| shop | ConfigMap/a\\_&lt;b&gt;\\| | yes | will be deleted |');
});

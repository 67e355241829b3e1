import { expect, test } from 'vitest';
import { recordOf } from '../../src/kube/record-codec.ts';
import { type FinalizerController, knownFinalizer } from '../../src/programs/known-finalizers.ts';
import { watchedNamespace } from '../../src/programs/watched-namespaces.ts';
import { deployment } from '../support/builders.ts';
import { kube } from '../support/kube.ts';

const type = deployment('any').type;
const anyProgram = { title: 'Operator', runsIn: 'workload' } as const;
const argo = knownFinalizer('resources-finalizer.argocd.argoproj.io')?.setBy ?? anyProgram;

/** Whether the program with this container in namespace ops watches namespace shop. */
function watches(container: object, controller: FinalizerController = anyProgram): string {
  const spec = { template: { spec: { containers: [{ name: 'c', ...container }] } } };
  const record = recordOf(
    kube('apps/v1 Deployment operator', { namespace: 'ops' }, { spec }),
    type,
  );
  return watchedNamespace(record, controller, 'shop').watches;
}

const env = (name: string, value: object | string = {}) => ({
  env: [{ name, ...(typeof value === 'string' ? { value } : { valueFrom: value }) }],
});
const ownNamespace = { fieldRef: { fieldPath: 'metadata.namespace' } };
const fromConfigMap = { configMapKeyRef: { name: 'settings', key: 'namespaces' } };

test.each<[object, string]>([
  [{}, 'yes'],
  [env('WATCH_NAMESPACE', ''), 'yes'],
  [env('WATCH_NAMESPACE', 'shop,bank'), 'yes'],
  [env('WATCH_NAMESPACE', 'bank'), 'no'],
  [env('WATCH_NAMESPACE', ownNamespace), 'no'],
  [env('WATCH_NAMESPACE', fromConfigMap), 'unknown'],
  [env('STRIMZI_NAMESPACE', '*'), 'yes'],
  [env('POD_NAMESPACE', ownNamespace), 'yes'],
  [{ args: ['--watch-namespace=bank'] }, 'no'],
  [{ args: ['--watch-namespace=sh*'] }, 'yes'],
  [{ args: ['--watch-namespace', 'bank'] }, 'unknown'],
  [{ args: ['--watch-namespace=$(POD_NAMESPACE)'], ...env('POD_NAMESPACE', ownNamespace) }, 'no'],
  [{ command: ['sh', '-c', 'run --password=x --watch-namespaces=bank'] }, 'no'],
  [{ args: ['--watch-all-namespaces=false'] }, 'no'],
  [{ args: ['--watch-all-namespaces'] }, 'yes'],
  [{ args: ['--namespaced'] }, 'no'],
  [{ args: ['--namespace=bank'] }, 'unknown'],
  [{ args: ['--leader-election-namespace=bank', '--application-namespaces=bank'] }, 'yes'],
])('a program in namespace ops with %j watches namespace shop: %s', (container, expected) => {
  expect(watches(container)).toBe(expected);
});

test.each<[object, string]>([
  [{}, 'no'],
  [{ args: ['--application-namespaces=shop'] }, 'yes'],
  [{ args: ['--application-namespaces=bank'] }, 'no'],
  [{ args: ['--application-namespaces=/^sh.*$/'] }, 'unknown'],
  [env('ARGOCD_APPLICATION_NAMESPACES', fromConfigMap), 'unknown'],
  [{ envFrom: [{ configMapRef: { name: 'settings' } }] }, 'unknown'],
])(
  'the application controller of Argo CD in namespace ops with %j watches namespace shop: %s',
  (container, expected) => {
    expect(watches(container, argo)).toBe(expected);
  },
);

test('no other argument or variable is kept of a template', () => {
  const container = { args: ['--password=x', '--watch-namespace=bank'], ...env('PASSWORD', 'y') };
  const spec = { template: { spec: { containers: [{ name: 'c', ...container }] } } };
  const { facts } = recordOf(kube('apps/v1 Deployment operator', {}, { spec }), type);
  expect(facts?.containers).toEqual([{ name: 'c', args: ['--watch-namespace=bank'] }]);
});

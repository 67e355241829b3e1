import { type Blockade, configMap, gone, namespace, onOldNode, pod } from './blockade.ts';

export const namespaceBlockades: readonly Blockade[] = [
  {
    name: 'a finalizer that no webhook lets anybody take off',
    objects: [
      configMap('b29', 'x', {
        ...gone,
        labels: { deny: 'update' },
        finalizers: ['finalizer.keda.sh'],
      }),
    ],
    ask: 'configmap/x -n b29',
    blockers: ['ValidatingWebhookConfiguration/dead-updates admission-webhook-down'],
  },
  {
    name: 'a namespace with an object that a finalizer holds',
    objects: [
      namespace('b30', gone),
      configMap('b30', 'x', { ...gone, finalizers: ['finalizer.keda.sh'] }),
    ],
    ask: 'namespace/b30',
    blockers: ['ConfigMap/x finalizer-controller-missing'],
    fix: 'remove the finalizer finalizer.keda.sh from ConfigMap x',
    afterwards: ['stuck', 'Namespace/b30 namespace-empty'],
  },
  {
    name: 'a namespace with a pod, before which nothing else is deleted',
    objects: [
      namespace('b31', gone),
      configMap('b31', 'untouched'),
      pod('b31', 'p', 'sick', onOldNode),
    ],
    ask: 'namespace/b31',
    blockers: ['Node/sick node-not-ready'],
  },
  {
    name: 'a namespace that is empty',
    objects: [namespace('b32', gone)],
    ask: 'namespace/b32',
    blockers: ['Namespace/b32 namespace-empty'],
    fix: 'remove kubernetes from the spec.finalizers of Namespace b32, which is empty',
  },
  {
    name: 'a namespace with a finalizer of its own in its spec',
    objects: [namespace('b33', gone, ['example.com/tenant'])],
    ask: 'namespace/b33',
    blockers: ['Namespace/b33 namespace-finalizer'],
    fix: 'remove example.com/tenant from the spec.finalizers of Namespace b33, which is empty',
  },
  {
    name: 'a namespace that is held twice, with objects that wait',
    objects: [
      namespace('b34', gone, ['kubernetes', 'example.com/tenant']),
      configMap('b34', 'held', { ...gone, finalizers: ['finalizer.keda.sh'] }),
      configMap('b34', 'kube-root-ca.crt'),
      configMap('b34', 'settings'),
    ],
    ask: 'namespace/b34',
    blockers: ['ConfigMap/held finalizer-controller-missing', 'Namespace/b34 namespace-finalizer'],
    fix: 'remove the finalizer finalizer.keda.sh from ConfigMap held',
    afterwards: [
      'stuck',
      'ConfigMap/kube-root-ca.crt object-left',
      'Namespace/b34 namespace-finalizer',
    ],
  },
];

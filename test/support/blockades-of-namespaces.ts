import { type Blockade, configMap, gone, namespace, onOldNode, pod } from './blockade.ts';

export const namespaceBlockades: readonly Blockade[] = [
  {
    name: 'a finalizer, its removal refused',
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
    name: 'a namespace, one object blocked',
    objects: [
      namespace('b30', gone),
      configMap('b30', 'x', { ...gone, finalizers: ['finalizer.keda.sh'] }),
    ],
    ask: 'namespace/b30',
    blockers: ['ConfigMap/x finalizer-controller-missing'],
    fix: 'PATCH ConfigMap/x test /metadata/finalizers/0 finalizer.keda.sh, remove /metadata/finalizers/0',
    afterwards: ['stuck', 'Namespace/b30 namespace-empty'],
  },
  {
    name: 'a namespace with Pods',
    objects: [
      namespace('b31', gone),
      configMap('b31', 'untouched'),
      pod('b31', 'p', 'sick', onOldNode),
    ],
    ask: 'namespace/b31',
    blockers: ['Node/sick node-not-ready'],
  },
  {
    name: 'an empty namespace',
    objects: [namespace('b32', gone)],
    ask: 'namespace/b32',
    blockers: ['Namespace/b32 namespace-empty'],
    fix: 'PUT Namespace/b32 test /spec/finalizers/0 kubernetes, remove /spec/finalizers/0',
  },
  {
    name: 'a namespace with spec.finalizers',
    objects: [namespace('b33', gone, ['example.com/tenant'])],
    ask: 'namespace/b33',
    blockers: ['Namespace/b33 namespace-finalizer'],
    fix: 'PUT Namespace/b33 test /spec/finalizers/0 example.com/tenant, remove /spec/finalizers/0',
  },
  {
    name: 'a namespace blocked twice',
    objects: [
      namespace('b34', gone, ['kubernetes', 'example.com/tenant']),
      configMap('b34', 'held', { ...gone, finalizers: ['finalizer.keda.sh'] }),
      configMap('b34', 'kube-root-ca.crt'),
      configMap('b34', 'settings'),
    ],
    ask: 'namespace/b34',
    blockers: ['ConfigMap/held finalizer-controller-missing', 'Namespace/b34 namespace-finalizer'],
    fix: 'PATCH ConfigMap/held test /metadata/finalizers/0 finalizer.keda.sh, remove /metadata/finalizers/0',
    afterwards: [
      'stuck',
      'ConfigMap/kube-root-ca.crt object-left',
      'Namespace/b34 namespace-finalizer',
    ],
  },
];

import { type Blockade, configMap, deployment, gone, setBy } from './blockade.ts';

export const finalizerBlockades: readonly Blockade[] = [
  {
    name: 'a finalizer set manually',
    objects: [configMap('b01', 'x', setBy('kubectl-edit', 'example.com/hand'))],
    ask: 'configmap/x -n b01',
    blockers: ['ConfigMap/x finalizer-controller-missing'],
    fix: 'PATCH ConfigMap/x test /metadata/finalizers/0 example.com/hand, remove /metadata/finalizers/0',
  },
  {
    name: "an unready program's finalizer",
    objects: [
      configMap('b02', 'x', setBy('acme-operator', 'acme.example.com/cleanup')),
      deployment('b02', 'acme-operator', 0),
    ],
    ask: 'configmap/x -n b02',
    blockers: ['ConfigMap/x finalizer-controller-down'],
  },
  {
    name: "an unknown program's finalizer",
    objects: [configMap('b03', 'x', setBy('lonely-operator', 'lonely.example.com/x'))],
    ask: 'configmap/x -n b03',
    blockers: ['ConfigMap/x finalizer-controller-missing'],
    fix: 'PATCH ConfigMap/x test /metadata/finalizers/0 lonely.example.com/x, remove /metadata/finalizers/0',
  },
  {
    name: 'a known finalizer, its controller missing',
    objects: [configMap('b04', 'x', { ...gone, finalizers: ['finalizer.keda.sh'] })],
    ask: 'configmap/x -n b04',
    blockers: ['ConfigMap/x finalizer-controller-missing'],
    fix: 'PATCH ConfigMap/x test /metadata/finalizers/0 finalizer.keda.sh, remove /metadata/finalizers/0',
  },
  {
    name: 'a known finalizer, its controller running',
    objects: [
      configMap('b05', 'x', { ...gone, finalizers: ['finalizers.fluxcd.io'] }),
      deployment('b05', 'kustomize-controller', 1),
    ],
    ask: 'configmap/x -n b05',
    state: 'progressing',
    blockers: [],
  },
  {
    name: 'finalizers of two programs',
    objects: [
      configMap('b06', 'x', {
        ...gone,
        finalizers: ['finalizers.gatekeeper.sh/config', 'velero.io/data-upload-download-finalizer'],
      }),
    ],
    ask: 'configmap/x -n b06',
    blockers: [
      'ConfigMap/x finalizer-controller-missing',
      'ConfigMap/x finalizer-controller-missing',
    ],
    fix: 'PATCH ConfigMap/x test /metadata/finalizers/0 finalizers.gatekeeper.sh/config, remove /metadata/finalizers/0',
    afterwards: ['stuck', 'ConfigMap/x finalizer-controller-missing'],
  },
];

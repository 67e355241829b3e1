import { type Blockade, configMap, deployment, gone, setBy } from './blockade.ts';

export const finalizerBlockades: readonly Blockade[] = [
  {
    name: 'a finalizer that a person set',
    objects: [configMap('b01', 'x', setBy('kubectl-edit', 'example.com/hand'))],
    ask: 'configmap/x -n b01',
    blockers: ['ConfigMap/x finalizer-controller-missing'],
    fix: 'remove the finalizer example.com/hand from ConfigMap x',
  },
  {
    name: 'a finalizer of a program without a ready pod',
    objects: [
      configMap('b02', 'x', setBy('acme-operator', 'acme.example.com/cleanup')),
      deployment('b02', 'acme-operator', 0),
    ],
    ask: 'configmap/x -n b02',
    blockers: ['ConfigMap/x finalizer-controller-down'],
    fix: 'remove the finalizer acme.example.com/cleanup from ConfigMap x',
  },
  {
    name: 'a finalizer of a program that no workload is named after',
    objects: [configMap('b03', 'x', setBy('lonely-operator', 'lonely.example.com/x'))],
    ask: 'configmap/x -n b03',
    blockers: ['ConfigMap/x finalizer-controller-missing'],
    fix: 'remove the finalizer lonely.example.com/x from ConfigMap x',
  },
  {
    name: 'a known finalizer whose controller is not installed',
    objects: [configMap('b04', 'x', { ...gone, finalizers: ['finalizer.keda.sh'] })],
    ask: 'configmap/x -n b04',
    blockers: ['ConfigMap/x finalizer-controller-missing'],
    fix: 'remove the finalizer finalizer.keda.sh from ConfigMap x',
  },
  {
    name: 'a known finalizer whose controller runs',
    objects: [
      configMap('b05', 'x', { ...gone, finalizers: ['finalizers.fluxcd.io'] }),
      deployment('b05', 'kustomize-controller', 1),
    ],
    ask: 'configmap/x -n b05',
    state: 'progressing',
    blockers: [],
  },
  {
    name: 'two finalizers of two programs',
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
    fix: 'remove the finalizer finalizers.gatekeeper.sh/config from ConfigMap x',
    afterwards: ['stuck', 'ConfigMap/x finalizer-controller-missing'],
  },
];

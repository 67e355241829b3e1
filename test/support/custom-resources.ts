import type { KubeObject } from '../../src/kube/record-codec.ts';

/** example.com/v1 Widget (namespaced) and Gadget (cluster-scoped), as in the recorded cases. */
export const exampleDefinitions: readonly KubeObject[] = [
  definition('Widget', 'Namespaced'),
  definition('Gadget', 'Cluster'),
];

function definition(kind: string, scope: 'Namespaced' | 'Cluster'): KubeObject {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope,
      names: { kind, plural, singular, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

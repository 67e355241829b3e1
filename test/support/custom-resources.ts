import type { KubeObject } from '../../src/kube/record-codec.ts';

/** example.com/v1 Widget (namespaced) and Gadget (cluster-scoped), as in the recorded cases. */
export const exampleDefinitions: readonly KubeObject[] = [
  customDefinition('Widget', 'example.com'),
  customDefinition('Gadget', 'example.com', { scope: 'Cluster' }),
];

export interface CustomKind {
  /** Default: the singular and an s. */
  readonly plural?: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  /** All are served, and objects are stored in the first. */
  readonly versions?: readonly string[];
  /** Versions that are not served any more. */
  readonly retired?: readonly string[];
}

/** A CustomResourceDefinition whose objects may have any fields. */
export function customDefinition(
  kind: string,
  group: string,
  { plural, scope = 'Namespaced', versions = ['v1'], retired = [] }: CustomKind = {},
): KubeObject {
  const singular = kind.toLowerCase();
  const names = { kind, plural: plural ?? `${singular}s`, singular, listKind: `${kind}List` };
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}` },
    spec: {
      group,
      scope,
      names,
      versions: [
        ...versions.map((name, at) => ({ name, served: true, storage: at === 0, schema })),
        ...retired.map((name) => ({ name, served: false, storage: false, schema })),
      ],
    },
  };
}

/** A namespace as an API server stores it. */
export function activeNamespace(name: string, metadata: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, ...metadata },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
}

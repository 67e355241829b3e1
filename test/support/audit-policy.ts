/** An audit policy of what changes objects: no reads, and no time at which a request only came in. */
export function auditPolicy(rules: readonly object[]) {
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [{ level: 'None', verbs: ['get', 'list', 'watch'] }, ...rules],
  };
}

/**
 * Questions to a few clusters that each tell one story (test/fixtures/clusters), by the name of the cluster.
 */
export const stories: Readonly<Record<string, readonly string[]>> = {
  'orphaned-replicaset': [
    'owners pod/web-6c4f9d-abcde -n shop',
    'tree replicaset/web-6c4f9d -n shop',
    'orphans -A',
    'invalid-ownerrefs -A',
    'snapshot info',
  ],
  'cross-namespace-secret': [
    'owners secret/tls -n shop',
    'tree deployment/issuer -n platform',
    'orphans -A',
    'invalid-ownerrefs -A',
  ],
  'ring-of-configmaps': [
    'owners configmap/score -n games',
    'tree configmap/rock configmap/mirror -n games',
    'invalid-ownerrefs -n games',
  ],
  'restored-from-backup': [
    'owners configmap/db-config pvc/data-db-0 -n payments',
    'tree statefulset/db -n payments',
    'orphans -n payments',
    'invalid-ownerrefs -n payments',
  ],
  'foreground-deletion': [
    'owners pod/search-7d9-x2x4z -n shop',
    'tree deployment/search -n shop',
    'orphans -A',
  ],
  'tenant-operator': [
    'owners clusterrole/acme-admin',
    'owners configmap/settings -n acme-prod',
    'tree tenant/acme',
    'orphans -A',
    'invalid-ownerrefs -A',
    'snapshot info',
  ],
  'pods-only': [
    'owners pod/web-6c4f9d-abcde -n shop',
    'tree pod/debug pod/web-6c4f9d-abcde -n shop',
    'orphans -A',
    'orphans -A --complete',
    'orphans -A --unmanaged',
    'invalid-ownerrefs -A',
  ],
};

/** A question as a whole command line. Ages are counted to a fixed time. */
export function commandLineOf(cluster: string, question: string, format: string): string {
  return `${question} -o ${format} --from test/fixtures/clusters/${cluster}.yaml --now 2026-01-31T12:00:00Z`;
}

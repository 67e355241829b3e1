import type { ClusterClient } from '../cluster/connection/cluster-client.ts';
import { fromClusterObjects } from '../cluster/list/get-objects.ts';
import { isLoopback } from '../cluster/server-host.ts';
import { exitCodes, GcError } from '../errors.ts';
import { isLeaseValid, readingTime } from '../kube/leader-lease.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';

/** What is allowed although it is unlike a test's own API server. */
export interface Allowed {
  /** A server whose address is not of this machine. */
  readonly remoteServer?: boolean | undefined;
  /** A server on which a controller manager runs, or has run. */
  readonly controllerManager?: boolean | undefined;
}

/** Refuses a server elsewhere, before anything is asked of it. Throws a GcError that says what allows it. */
export function refuseRemoteServer({ server }: ClusterClient, { remoteServer }: Allowed): void {
  if (remoteServer || isLoopback(new URL(server))) return;
  throw notTestCluster(
    'remote-server',
    `${server} is not on this machine: controllers would delete objects there`,
    'If it is a test cluster, add --allow-remote-server.',
  );
}

/**
 * Refuses a cluster that has a controller manager: two garbage collectors would compete, and it is no
 * test's own API server. Throws a GcError that says what allows it.
 */
export async function refuseControllerManager(
  client: ClusterClient,
  types: ResourceTypes,
  allowed: Allowed,
): Promise<void> {
  if (allowed.controllerManager) return;
  const { server } = client;
  const account = types.find('v1', 'ServiceAccount');
  const lease = types.find('coordination.k8s.io/v1', 'Lease');
  const namespace = 'kube-system';
  const { records, coverage, observedAt } = await fromClusterObjects(
    client,
    { types, serverVersion: undefined },
    [
      ...(account ? [{ type: account, namespace, name: 'default' }] : []),
      ...(lease ? [{ type: lease, namespace, name: 'kube-controller-manager' }] : []),
    ],
    { facts: true },
  );
  const anyway = 'If that is as it should be, add --beside-controller-manager.';
  const [problem] = coverage.problems;
  if (problem) {
    const message = `it is unknown whether ${server} has a controller manager: ${problem.message}`;
    throw notTestCluster('controller-manager-unknown', message, anyway);
  }
  const now = Date.parse(observedAt);
  const held = records.find(
    ({ type, facts }) =>
      type === lease && facts?.holderIdentity && isLeaseValid(facts, now, readingTime),
  );
  const itsOwn = 'It already runs a garbage collector and a namespace controller.';
  if (held) {
    const message = `a controller manager runs on ${server}: ${held.facts?.holderIdentity} renews the Lease kube-controller-manager`;
    throw notTestCluster('controller-manager-runs', message, itsOwn, anyway);
  }
  if (records.some(({ type }) => type === account)) {
    const message = `a controller manager runs on ${server}, or has run: it made the ServiceAccount default in kube-system`;
    throw notTestCluster('controller-manager-ran', message, itsOwn, anyway);
  }
}

function notTestCluster(code: string, message: string, ...suggestions: string[]): GcError {
  return new GcError(message, { code, exitCode: exitCodes.failed, suggestions });
}

import { writeFileSync } from 'node:fs';
import { objectPath } from '../src/cluster/api-path.ts';
import { connect } from '../src/cluster/connection/connect.ts';
import { full, metadataList } from '../src/cluster/get.ts';
import { discover } from '../src/cluster/list/discover.ts';
import {
  leaseType,
  podType,
  roleBindingTypes,
  roleTypes,
  workloadTypes,
} from '../src/kube/core-types.ts';
import { isDeletable, type ResourceType } from '../src/kube/resource-type.ts';
import type { ControlPlane } from '../test/support/control-plane.ts';

/** What `why` reads everywhere to say whether a program that may remove a finalizer runs. */
export const programTypes = [
  ...workloadTypes,
  podType,
  leaseType,
  ...roleTypes,
  ...roleBindingTypes,
];

/**
 * Writes a config for one curl process that fetches what `orphans` lists, of one namespace or of all (``), as many at a
 * time; and the whole objects of some types everywhere.
 */
export async function curlConfig(
  plane: ControlPlane,
  namespace: string,
  path: string,
  everywhere: readonly ResourceType[] = [],
): Promise<string> {
  const client = await connect({ kubeconfig: plane.kubeconfigPath });
  const { types } = await discover(client);
  client.close();
  const listed = types
    .preferred()
    .filter((type) => isDeletable(type) && (type.namespaced || namespace === ''));
  const lists = (some: readonly ResourceType[], accept: string, within: string) => [
    'silent',
    'insecure',
    'http1.1',
    'fail',
    `header = "Accept: ${accept}"`,
    `header = "Authorization: Bearer ${plane.adminToken}"`,
    ...some.flatMap((type) => [
      `url = "${plane.server}${objectPath(type, within)}?resourceVersion=0"`,
      'output = "/dev/null"',
    ]),
  ];
  const lines = [
    'parallel',
    'no-progress-meter',
    'parallel-max = 6',
    ...(everywhere.length > 0 ? [...lists(everywhere, full, ''), 'next'] : []),
    ...lists(listed, metadataList, namespace),
  ];
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  return path;
}

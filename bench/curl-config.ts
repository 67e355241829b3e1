import { writeFileSync } from 'node:fs';
import { connect } from '../src/cluster/connection/connect.ts';
import { metadataList } from '../src/cluster/get.ts';
import { discover } from '../src/cluster/list/discover.ts';
import { objectPath } from '../src/kube/resource-type.ts';
import type { ControlPlane } from '../test/support/control-plane.ts';

/** Writes a config for one curl process that fetches what `orphans` lists, of one namespace or of all (``), as many at a time. */
export async function curlConfig(
  plane: ControlPlane,
  namespace: string,
  path: string,
): Promise<string> {
  const client = await connect({ kubeconfig: plane.kubeconfigPath });
  const { types } = await discover(client);
  client.close();
  const listed = types
    .preferred()
    .filter(({ verbs }) => verbs.includes('list') && verbs.includes('delete'))
    .filter(({ resource }) => resource !== 'events')
    .filter(({ namespaced }) => namespaced || namespace === '');
  const lines = [
    'silent',
    'insecure',
    'parallel',
    'parallel-max = 6',
    'http1.1',
    'fail',
    `header = "Accept: ${metadataList}"`,
    `header = "Authorization: Bearer ${plane.adminToken}"`,
    ...listed.flatMap((type) => [
      `url = "${plane.server}${objectPath(type, namespace)}?resourceVersion=0"`,
      'output = "/dev/null"',
    ]),
  ];
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  return path;
}

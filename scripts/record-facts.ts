// Records what an API server writes of every kind with facts, as protobuf and JSON: `node scripts/record-facts.ts`.
import { writeFileSync } from 'node:fs';
import type { ClusterClient } from '../src/cluster/connection/cluster-client.ts';
import { connect } from '../src/cluster/connection/connect.ts';
import { discover } from '../src/cluster/list/discover.ts';
import { factFieldsOf } from '../src/kube/facts/object-facts.ts';
import { groupResourceOf, type ResourceType } from '../src/kube/resource-type.ts';
import { apiPath } from '../test/support/api-path.ts';
import { startControlPlane } from '../test/support/control-plane.ts';
import { objectsWithFacts } from '../test/support/objects-with-facts.ts';

const folder = new URL('../test/cluster/recorded/facts/', import.meta.url);
const formats = [
  ['pb', 'application/vnd.kubernetes.protobuf'],
  ['json', 'application/json'],
] as const;

const plane = await startControlPlane({
  controllers: 'none',
  objects: objectsWithFacts.map(({ object }) => object),
});
try {
  const client = await connect({ kubeconfig: plane.kubeconfigPath });
  const { types } = await discover(client);
  const kinds = new Set(objectsWithFacts.map(({ object }) => object.kind));
  for (const type of types.preferred()) {
    // Nothing of a Secret is recorded.
    if (!factFieldsOf(type) || !kinds.has(type.kind) || type.kind === 'Secret') continue;
    for (const [ending, accept] of formats) {
      writeFileSync(
        new URL(`${groupResourceOf(type)}.${ending}`, folder),
        await read(client, type, accept),
      );
    }
  }
  client.close();
} finally {
  await plane.stop();
}

async function read(client: ClusterClient, type: ResourceType, accept: string): Promise<Buffer> {
  const { status, body } = await client.request({ path: apiPath(type), headers: { accept } });
  if (status !== 200) throw new Error(`list ${type.resource}: ${status}`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

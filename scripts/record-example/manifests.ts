import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { apiVersionOf, type ResourceType } from '../../src/kube/resource-type.ts';
import { apiPath } from '../../test/support/api-path.ts';
import type { Cluster } from '../../test/support/cluster.ts';
import { servedTypes } from '../../test/support/served-types.ts';

const folder = new URL('../../examples/shop/', import.meta.url);

/** The objects of one file of examples/shop, as written there. */
export function readManifest(file: string): KubeObject[] {
  return parseAllDocuments(readFileSync(new URL(file, folder), 'utf8')).map((document) =>
    document.toJS(),
  );
}

/** Stores the objects of a file through the API, one after the other, as `manager` would. */
export async function applyManifest(
  cluster: Cluster,
  file: string,
  manager: string,
): Promise<void> {
  for (const written of readManifest(file)) {
    const object = await withRealValues(cluster, written);
    const type = await typeOf(cluster, object);
    const { namespace, name } = coordinates(object);
    const query = `?fieldManager=${manager}`;
    if (await cluster.isHealthy(apiPath(type, namespace, name))) {
      await cluster.patch(apiPath(type, namespace, name) + query, { metadata: object.metadata });
    } else {
      await cluster.create(apiPath(type, namespace) + query, object);
    }
  }
}

/** Replaces `of NAMESPACE/KIND/NAME` by that object's uid, and `30 hours ago` and `in 25 seconds` by the time. */
export async function withRealValues(cluster: Cluster, object: KubeObject): Promise<KubeObject> {
  return (await replaced(cluster, object)) as KubeObject;
}

const unitMilliseconds = { hours: 3_600_000, minutes: 60_000, seconds: 1000 };
type Unit = keyof typeof unitMilliseconds;

async function replaced(cluster: Cluster, value: unknown): Promise<unknown> {
  if (typeof value === 'string') {
    const [, namespace, kind, name] = /^of (.*)\/(.+)\/(.+)$/.exec(value) ?? [];
    if (kind && name) return uidOf(cluster, namespace ?? '', kind, name);
    const [, next, count, unit] =
      /^(in )?(\d+) (hours|minutes|seconds)(?: ago)?$/.exec(value) ?? [];
    if (!count) return value;
    const milliseconds = Number(count) * unitMilliseconds[unit as Unit];
    const at = Date.now() + (next ? milliseconds : -milliseconds);
    return `${new Date(at).toISOString().slice(0, 19)}Z`;
  }
  if (Array.isArray(value)) {
    return Promise.all(value.map((entry) => replaced(cluster, entry)));
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(async ([key, entry]) => [
    key,
    await replaced(cluster, entry),
  ]);
  return Object.fromEntries(await Promise.all(fields));
}

async function uidOf(cluster: Cluster, namespace: string, kind: string, name: string) {
  const types = await servedTypes(cluster.get);
  const type = types.find((candidate) => candidate.kind === kind);
  if (!type) throw new Error(`nobody serves ${kind}`);
  const owner = await cluster.get<KubeObject>(apiPath(type, namespace, name));
  return owner.metadata.uid;
}

async function typeOf(cluster: Cluster, object: KubeObject): Promise<ResourceType> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const types = await servedTypes(cluster.get);
    const type = types.find(
      (candidate) =>
        candidate.kind === object.kind && apiVersionOf(candidate) === object.apiVersion,
    );
    if (type && (await cluster.isHealthy(apiPath(type)))) return type;
    // The definition was created a moment ago.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`nobody serves ${object.apiVersion} ${object.kind}`);
}

function coordinates(object: KubeObject): { namespace: string; name: string } {
  const { namespace = '', name } = object.metadata as { namespace?: string; name: string };
  return { namespace, name };
}

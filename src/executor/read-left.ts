import type { ObjectRecord } from '../kube/object-record.ts';
import { recordOf } from '../kube/record-codec.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import { answeredItem } from '../sources/cluster/answered-list.ts';
import { inParallel } from '../sources/cluster/in-parallel.ts';
import { parseJson, readBody } from '../sources/cluster/read-body.ts';
import { resourcePath } from '../sources/cluster/resource-path.ts';
import type { Execution } from './execution.ts';
import type { TrackedObject } from './tracked-object.ts';
import type { TrackedObjects } from './tracked-objects.ts';

/** More objects than this are explained by what was followed alone. */
const mostReads = 200;

/**
 * Looks again at what is left: what went meanwhile is noted, and of pods and namespaces the fields
 * are read that say what they wait for. Ends when `pace.evidence` is over; failures say nothing.
 */
export async function readLeft(
  { client, pace }: Execution,
  left: readonly TrackedObject[],
  tracked: TrackedObjects,
): Promise<Map<string, ObjectRecord>> {
  const records = new Map<string, ObjectRecord>();
  const signal = AbortSignal.timeout(pace.evidence);
  const read = async ({ planned, type }: TrackedObject) => {
    if (!type || signal.aborted) return;
    const { namespace, name, uid } = planned;
    const path = resourcePath(type, namespace || undefined, name);
    const headers = { accept: whole(type) ? 'application/json' : metadata };
    const response = await client.request({ path, headers, signal });
    const body = await readBody(response);
    if (response.status === 404 && namesObject(body)) tracked.gone(uid);
    if (response.status !== 200) return;
    const record = recordOf(withoutWriters(answeredItem(body, name)), type);
    tracked.see(record);
    if (record.uid === uid) records.set(uid, record);
  };
  const quietly = (object: TrackedObject) => read(object).catch(() => undefined);
  await inParallel(left.slice(0, mostReads), 4, quietly);
  return records;
}

const metadata = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

function whole({ group, kind }: ResourceType): boolean {
  return group === '' && (kind === 'Pod' || kind === 'Namespace');
}

function namesObject(body: Buffer): boolean {
  const { details } = parseJson(body) as { details?: { name?: unknown } };
  return typeof details?.name === 'string';
}

function withoutWriters(object: object): { metadata?: unknown } {
  const { metadata } = object as { metadata?: { managedFields?: unknown } };
  if (metadata) delete metadata.managedFields;
  return object;
}

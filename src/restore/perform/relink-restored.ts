import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { fetchOne } from '../../cluster/list/fetch-manifests.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import { objectPath } from '../../kube/resource-type.ts';
import { isTerminating, uidOf } from '../plan/live-objects.ts';
import { pendingOwners } from '../plan/planned-restoration.ts';
import type { FixedReference } from '../relink/judge-restored.ts';
import { isPending, isSameOwner } from '../relink/missing-references.ts';
import { type CreateOptions, send } from './create-object.ts';
import { wantedAt } from './look-up.ts';

export interface RelinkedObject {
  readonly outcome: 'relinked' | 'exists' | 'refused';
  readonly uid?: string;
  readonly message?: string;
}

const tries = 5;

export interface RelinkOptions extends CreateOptions {
  readonly expectedUid: string | undefined;
  /** Some of its owners are not there: it is still to get references to them. */
  readonly isIncomplete?: boolean;
}

/** Gives an object its references; guarded by uid and resourceVersion, and tried again when it has changed meanwhile. */
export async function relinkObject(
  client: ClusterClient,
  at: ObjectLocation,
  wanted: readonly FixedReference[],
  { expectedUid, isIncomplete = false, ...options }: RelinkOptions,
): Promise<RelinkedObject> {
  for (let attempt = 1; ; attempt++) {
    const fetched = await fetchOne(client, wantedAt(at), { retry: options.retry });
    if (!('manifest' in fetched)) return { outcome: 'refused', message: fetched.message };
    const live = fetched.manifest;
    const uid = uidOf(live);
    if (isTerminating(live)) {
      return { outcome: 'refused', uid, message: 'it is being deleted' };
    }
    if (expectedUid !== undefined && uid !== expectedUid) {
      return { outcome: 'refused', uid, message: 'another object has its name now' };
    }
    const patch = patchOf(live, at, wanted, isIncomplete);
    if (patch.length === 0) return { outcome: 'exists', uid };
    const { resourceVersion } = live.metadata;
    const { outcome, message } = await send(
      client,
      {
        verb: 'patch',
        path: objectPath(at.type, at.namespace, at.name),
        patchType: 'json',
        guards: { uid, resourceVersion: resourceVersion as string | undefined },
        body: patch,
      },
      options,
    );
    if (outcome === 'done') return { outcome: 'relinked', uid };
    if (outcome !== 'changed' || attempt >= tries) return { outcome: 'refused', uid, message };
  }
}

function patchOf(
  live: KubeObject,
  at: ObjectLocation,
  wanted: readonly FixedReference[],
  isIncomplete: boolean,
): readonly object[] {
  const { ownerReferences } = recordOf(live, at.type);
  const kept = ownerReferences.filter(
    (reference) =>
      !wanted.some(
        (want) =>
          isSameOwner(reference, want.reference) &&
          reference.uid === want.staleUid &&
          reference.uid !== want.reference.uid,
      ),
  );
  const missing = wanted
    .map(({ reference }) => reference)
    .filter((reference) => !kept.some(({ uid }) => uid === reference.uid));
  const references = [...kept, ...missing];
  const path = '/metadata/ownerReferences';
  return [
    ...(missing.length > 0 || kept.length < ownerReferences.length
      ? [{ op: 'add', path, value: references }]
      : []),
    ...(!isIncomplete && isPending(live)
      ? [{ op: 'remove', path: `/metadata/annotations/${pendingOwners.replace('/', '~1')}` }]
      : []),
  ];
}

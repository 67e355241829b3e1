import { accounts } from '../../controllers/bookkeeping.ts';
import { programKinds } from '../../controllers/finalizers/program-life.ts';
import { isTool } from '../../delivery/tools.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import type { Reach } from '../../simulator/reach.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { isForeign } from './blocking-finalizers.ts';

/**
 * What of a snapshot a plan has to look at. Where nothing leads out of some namespaces, that is what is in these or in
 * none, and of the others only what is looked for in all of them: most of a large cluster is in none of both.
 */
export function partOf(snapshot: Snapshot, reach: Reach | undefined): Snapshot {
  const { within, members } = reach ?? { members: [] };
  // The program that removes a finalizer may be any.
  const areHeld = members.some(({ finalizers }) => finalizers.some(isForeign));
  if (!within || areHeld) return snapshot;
  const isSought = soughtFor(members);
  const records = snapshot.records.filter(
    (record) => record.namespace === '' || within.has(record.namespace) || isSought(record),
  );
  return { ...snapshot, records };
}

/**
 * Selects objects that are needed from all namespaces: programs, and objects that wait for one; Leases; objects of delivery
 * tools; objects for which the API server keeps others. And the first object of each kind: a kind of which files contain an
 * object counts as read.
 */
function soughtFor(members: readonly ObjectRecord[]): (record: ObjectRecord) => boolean {
  const kinds = new Set(members.map(({ type }) => groupResourceOf(type)));
  const keeping = accounts.filter(({ kept }) => kinds.has(kept)).map(({ of }) => of);
  const wanted = new Set([...programKinds, ...keeping, 'leases.coordination.k8s.io']);
  const known = new Map<ResourceType, boolean>();
  return (record) => {
    const { type, finalizers, ownerReferences } = record;
    const isFirst = !known.has(type);
    if (isFirst) {
      const tool = { apiVersion: apiVersionOf(type), kind: type.kind };
      known.set(type, wanted.has(groupResourceOf(type)) || isTool(tool));
    }
    if (isFirst || finalizers.length > 0) return true;
    // A pod with an owner runs the program of that.
    return known.get(type) === true && (ownerReferences.length === 0 || !isPod(record));
  };
}

import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { inParallel } from '../../cluster/in-parallel.ts';
import { getObject } from '../../cluster/list/get-objects.ts';
import type { Judgement } from '../../controllers/garbage-collector/judge.ts';
import { judgementsIn } from '../../controllers/garbage-collector/judgements.ts';
import type { LeftAlone, PlannedRequest } from '../../deletion/plan/plan.ts';
import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { DueWork } from '../../shell/apply/plan-due.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** What the garbage collector deletes or patches because its owner is gone, and what is unknown. */
export function ownerDecisions(
  snapshot: Snapshot,
  scope: (record: ObjectRecord) => boolean,
): { readonly due: readonly DueWork[]; readonly leftAlone: readonly LeftAlone[] } {
  const due: DueWork[] = [];
  const leftAlone: LeftAlone[] = [];
  for (const [record, judgement] of judgementsIn(buildGraph(snapshot))) {
    if (record.uid === '' || !scope(record)) continue;
    const { because, rule } = judgement;
    const request = requestOf(record, judgement);
    if (request) due.push({ record, request, because, rule });
    else if (judgement.action === 'unknown') {
      leftAlone.push({ object: referenceTo(record), because: `not certain: ${because}` });
    }
  }
  return { due, leftAlone };
}

function requestOf(
  record: ObjectRecord,
  { action, policy, references }: Judgement,
): PlannedRequest | undefined {
  const { resourceVersion } = record;
  const head = {
    ...referenceTo(record),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  if (action === 'delete') {
    return { verb: 'delete', ...head, propagationPolicy: policy ?? 'Background' };
  }
  if (action !== 'patch') return undefined;
  const solid = references.filter((one) => one.class === 'solid');
  const ownerReferences = solid.map(({ reference }) => reference);
  return {
    verb: 'patch',
    ...head,
    patch: { type: 'merge', body: { metadata: { ownerReferences } } },
  };
}

const concurrency = 8;

/**
 * Asks for the owners once more, each by its name, as the garbage collector does: one that was
 * created while the cluster was read looks as if it were missing.
 */
export async function withOwnersLookedUp(
  { client, types }: { readonly client: ClusterClient; readonly types: ResourceTypes },
  found: ReturnType<typeof ownerDecisions>,
): Promise<ReturnType<typeof ownerDecisions>> {
  const states = new Map<string, ReturnType<typeof lookUp>>();
  const stateOf = (reference: OwnerReference, namespace: string): ReturnType<typeof lookUp> => {
    const { apiVersion, kind, name } = reference;
    const key = JSON.stringify([apiVersion, kind, namespace, name]);
    const known = states.get(key) ?? lookUp(client, types, reference, namespace);
    states.set(key, known);
    return known;
  };
  const judged = await inParallel(found.due, concurrency, async (one) => {
    const kept = new Set(keptOf(one.request).map(({ uid }) => uid));
    const missing = one.record.ownerReferences.filter(({ uid }) => !kept.has(uid));
    for (const reference of missing) {
      const state = await stateOf(reference, one.record.namespace);
      if (state.doubt !== undefined) return `not certain: ${state.doubt}`;
      if (state.uid === reference.uid && !state.isLeaving) {
        return `its owner ${reference.kind} ${reference.name} is there`;
      }
    }
    return undefined;
  });
  const refused = found.due.flatMap(({ record }, index): LeftAlone[] => {
    const because = judged[index];
    return because === undefined ? [] : [{ object: referenceTo(record), because }];
  });
  return {
    due: found.due.filter((_, index) => judged[index] === undefined),
    leftAlone: [...found.leftAlone, ...refused],
  };
}

function keptOf({ patch }: PlannedRequest): readonly OwnerReference[] {
  const { metadata } = Object(patch?.body) as {
    readonly metadata?: { readonly ownerReferences?: readonly OwnerReference[] };
  };
  return metadata?.ownerReferences ?? [];
}

/** What there is under the name of an owner; no uid: nothing. `doubt` says why it is unknown. */
async function lookUp(
  client: ClusterClient,
  types: ResourceTypes,
  { apiVersion, kind, name }: OwnerReference,
  namespace: string,
) {
  const type = types.find(apiVersion, kind);
  if (!type) return { doubt: `${apiVersion} ${kind} is not served` };
  const place = type.namespaced ? namespace : '';
  const { record, problem } = await getObject(client, { type, namespace: place, name });
  return {
    uid: record?.uid,
    /** It is being deleted, so that it may be waiting for this dependent. */
    isLeaving: record?.deletionTimestamp !== undefined,
    doubt: problem?.message,
  };
}

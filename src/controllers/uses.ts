import { type Mention, type Mentions, searchIn } from '../delivery/mentions.ts';
import type { UsedKind } from '../delivery/named-references.ts';
import { firstOf } from '../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { compareObjects, type ObjectReference, referenceTo } from '../kube/object-reference.ts';
import { knownClaimsOf, notRead, unusedInWords } from '../kube/pod-use.ts';
import { pushTo } from '../kube/push-to.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { isPod } from '../kube/well-known-kinds.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { usedSecrets } from './credentials/legacy-serviceaccount-token-cleaner.ts';
import { ordinalOf } from './workloads/statefulset-ordinals.ts';

/** Who uses a claim, a ConfigMap or a Secret. */
export interface Use {
  /** none-found: everything that may refer to it was searched. unknown: nothing was found, and not everything was searched. */
  readonly state: 'used' | 'none-found' | 'unknown';
  /** The uppermost of those that refer to it: a Deployment, and not its Pods. */
  readonly by: readonly ObjectReference[];
  /** `mounted by StatefulSet db`. */
  readonly because: string;
}

const usedKinds: Readonly<Record<string, UsedKind>> = {
  persistentvolumeclaims: 'PersistentVolumeClaim',
  configmaps: 'ConfigMap',
  secrets: 'Secret',
};

/** Asked of an object: who uses it; undefined of kinds of which that is not asked. */
export function usesIn(
  snapshot: Snapshot,
  mentions: Mentions,
): (record: ObjectRecord) => Use | undefined {
  const search = searchIn(snapshot, mentions);
  const byPods = mentionsByPods(snapshot.records);
  const sets = setsOf(snapshot.records, mentions);
  return (record) => {
    const kind = usedKinds[groupResourceOf(record.type)];
    if (kind === undefined) return undefined;
    const found = [
      ...mentions.referringTo(kind, record),
      ...(byPods.get(`${kind} ${record.namespace}/${record.name}`) ?? []),
    ];
    const current = found.filter(({ isHistory }) => !isHistory);
    if (current.length > 0) return usedBy(record, current);
    const set = kind === 'PersistentVolumeClaim' ? setOf(record, sets) : undefined;
    if (set) {
      const because = `claim of StatefulSet ${set.name}; no Pod mounts it now`;
      return { state: 'used', by: [referenceTo(set)], because };
    }
    if (found.length > 0) {
      const { by } = usedBy(record, found);
      const names = firstOf(by.map((one) => nameIn(record, one)));
      return { state: 'used', by, because: `referenced only by ${names}, for a rollback` };
    }
    const gap = search.gapIn(record.namespace);
    return gap === undefined
      ? { state: 'none-found', by: [], because: `no object refers to it${unusedInWords(record)}` }
      : { state: 'unknown', by: [], because: `unknown whether it is used: ${gap}` };
  };
}

function usedBy(record: ObjectRecord, found: readonly Mention[]): Use {
  const uids = new Set(found.map(({ by }) => by.uid));
  const upper = found.filter(({ owners }) => !owners.some((uid) => uids.has(uid)));
  const unique = new Map((upper.length > 0 ? upper : found).map(({ by }) => [by.uid, by]));
  const by = [...unique.values()].sort(compareObjects);
  const isMounted = found.some((one) => one.isMounted);
  const names = firstOf(by.map((one) => nameIn(record, one)));
  return { state: 'used', by, because: `${isMounted ? 'mounted' : 'referenced'} by ${names}` };
}

function nameIn({ namespace: own }: ObjectRecord, { kind, namespace, name }: ObjectReference) {
  return `${kind} ${namespace === own || namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** What records keep of Pods, which is all that a saved snapshot shows. */
function mentionsByPods(records: readonly ObjectRecord[]): ReadonlyMap<string, Mention[]> {
  const found = new Map<string, Mention[]>();
  for (const pod of records) {
    if (!isPod(pod) || !pod.facts) continue;
    const owners = pod.ownerReferences.map(({ uid }) => uid);
    const note = (kind: UsedKind, name: string, isMounted: boolean) => {
      const mention = { by: referenceTo(pod), owners, isHistory: false, isMounted };
      pushTo(found, `${kind} ${pod.namespace}/${name}`, mention);
    };
    for (const claim of knownClaimsOf(pod)) note('PersistentVolumeClaim', claim, true);
    const secrets = usedSecrets(pod);
    if (secrets === notRead) continue;
    for (const secret of secrets) note('Secret', secret, false);
  }
  return found;
}

function setsOf(
  records: readonly ObjectRecord[],
  mentions: Mentions,
): ReadonlyMap<string, readonly ObjectRecord[]> {
  const sets = new Map(mentions.sets);
  for (const record of records) {
    if (!record.facts?.volumeClaimTemplates) continue;
    sets.set(record.namespace, [...(sets.get(record.namespace) ?? []), record]);
  }
  return sets;
}

/** The StatefulSet whose controller gave a claim its name. */
function setOf(
  claim: ObjectRecord,
  sets: ReadonlyMap<string, readonly ObjectRecord[]>,
): ObjectRecord | undefined {
  return (sets.get(claim.namespace) ?? []).find(({ name, facts }) =>
    facts?.volumeClaimTemplates?.some(
      (template) => ordinalOf({ name: `${template}-${name}` }, claim.name) >= 0,
    ),
  );
}

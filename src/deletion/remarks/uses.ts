import { claimOrdinalOf } from '../../controllers/workloads/statefulset-pods.ts';
import { isHistoryOf, type Mention, type Mentions, searchIn } from '../../delivery/mentions.ts';
import { counted, firstOf, kindsInWords } from '../../kube/counts-by-kind.ts';
import { pushTo } from '../../kube/json-value.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { compareObjects, type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import {
  kindsOfPods,
  type UsedKind,
  usedByPods,
  usedClasses,
  usedKinds,
} from '../../kube/pod-references.ts';
import { notRead, unusedInWords } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { coverageIndexOf } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** Who uses a claim, a ConfigMap, a Secret, a ServiceAccount or a class. */
export interface Use {
  /** none-found: everything that may refer to it was searched. unknown: nothing was found, and not everything was searched. */
  readonly state: 'used' | 'none-found' | 'unknown';
  /** The uppermost of those that refer to it: a Deployment, and not its Pods. Of a class, volumes and bound claims come last. */
  readonly by: readonly ObjectReference[];
  /** `mounted by StatefulSet db`. */
  readonly because: string;
  /** All that refer to it do without it. */
  readonly optional?: true;
  /** Why it is unknown: what was not searched. */
  readonly gap?: string;
}

/** Asked of an object: who uses it; undefined of kinds of which that is not asked. */
export function usesIn(
  snapshot: Snapshot,
  mentions: Mentions,
): (record: ObjectRecord) => Use | undefined {
  return usesAmong(snapshot.records, searchIn(snapshot, mentions).gapIn, mentions);
}

/** The same by records alone, which keep what Pods, templates, claims and volumes refer to. */
export function usesByRecords(
  snapshot: Snapshot,
  records = snapshot.records,
): (record: ObjectRecord) => Use | undefined {
  return usesAmong(records, gapsInRecords(snapshot));
}

function usesAmong(
  records: readonly ObjectRecord[],
  gapIn: (namespace: string) => string | undefined,
  mentions?: Mentions,
): (record: ObjectRecord) => Use | undefined {
  const byRecords = mentionsByRecords(records);
  const sets = setsOf(records, mentions);
  return (record) => {
    const kind = usedKindOf(record);
    if (kind === undefined) return undefined;
    const found = [
      ...(mentions?.referringTo(kind, record) ?? []),
      ...(byRecords.get(keyOf(kind, record)) ?? []),
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
    const gap = gapIn(record.namespace);
    return gap === undefined
      ? { state: 'none-found', by: [], because: `no object refers to it${unusedInWords(record)}` }
      : { state: 'unknown', by: [], because: `unknown whether it is used: ${gap}`, gap };
  };
}

/** What was not searched by records; no record shows what custom resources refer to. */
function gapsInRecords({ records, types, coverage }: Snapshot) {
  const index = coverageIndexOf(coverage);
  const kinds = types.preferred().filter((type) => kindsOfPods.has(groupResourceOf(type)));
  const bare = new Set(
    records.flatMap(({ facts, type, namespace }) =>
      facts ? [] : `${groupResourceOf(type)} ${namespace}`,
    ),
  );
  const isBare = (resource: string, namespace: string) =>
    namespace === ''
      ? [...bare].some((place) => place.startsWith(`${resource} `))
      : bare.has(`${resource} ${namespace}`);
  return (namespace: string): string => {
    const unread = kinds.filter(
      (type) => !index.coversKind(type, namespace) || isBare(groupResourceOf(type), namespace),
    );
    return unread.length > 0
      ? `${kindsInWords(unread.map(groupResourceOf))} were not searched`
      : 'no Pod, workload or ServiceAccount does; other kinds were not searched';
  };
}

export function usedKindOf({ type }: Pick<ObjectRecord, 'type'>): UsedKind | undefined {
  return usedKinds[groupResourceOf(type)];
}

function usedBy(record: ObjectRecord, found: readonly Mention[]): Use {
  const uids = new Set(found.map(({ by }) => by.uid));
  const upper = found.filter(({ owners }) => !owners.some((uid) => uids.has(uid)));
  const unique = new Map((upper.length > 0 ? upper : found).map(({ by }) => [by.uid, by]));
  const settled = new Set(found.flatMap(({ by, isSettled }) => (isSettled ? [by.uid] : [])));
  const [open, bound] = partition([...unique.values()].sort(compareObjects), settled);
  const volumes = bound.filter(({ kind }) => kind === 'PersistentVolume').length;
  const isMounted = found.some((one) => one.isMounted);
  const users = [
    ...(open.length > 0 ? [firstOf(open.map((one) => nameIn(record, one)))] : []),
    ...(volumes > 0 ? [counted(volumes, 'volume')] : []),
    ...(bound.length > volumes ? [counted(bound.length - volumes, 'bound claim')] : []),
  ];
  const isOptional = found.every((one) => one.isOptional);
  const because = `${isMounted ? 'mounted' : 'referenced'} by ${users.join(' and ')}${isOptional ? ' (optional)' : ''}`;
  return {
    state: 'used',
    by: [...open, ...bound],
    because,
    ...(isOptional && { optional: true as const }),
  };
}

/** First those that need the other for something to come. */
function partition(by: readonly ObjectReference[], settled: ReadonlySet<string>) {
  const { true: bound = [], false: open = [] } = Object.groupBy(by, ({ uid }) =>
    settled.has(uid) ? 'true' : 'false',
  );
  return [open, bound] as const;
}

function nameIn({ namespace: own }: ObjectRecord, { kind, namespace, name }: ObjectReference) {
  return `${kind} ${namespace === own || namespace === '' ? '' : `${namespace}/`}${name}`;
}

function keyOf(
  kind: UsedKind,
  { namespace, name }: Pick<ObjectRecord, 'namespace' | 'name'>,
): string {
  return `${kind} ${usedClasses.has(kind) ? '' : namespace}/${name}`;
}

/** What records keep of Pods, templates, claims and volumes, which is all that a saved snapshot shows. */
function mentionsByRecords(records: readonly ObjectRecord[]): ReadonlyMap<string, Mention[]> {
  const found = new Map<string, Mention[]>();
  for (const record of records) {
    const { facts, namespace } = record;
    if (!facts) continue;
    const owners = record.ownerReferences.map(({ uid }) => uid);
    const isHistory = isHistoryOf(record, facts.replicas);
    const isSettled = isBound(record);
    const note = (kind: UsedKind, name: string, isMounted: boolean, isOptional = false) => {
      const by = referenceTo(record);
      const mention = { by, owners, isHistory, isMounted, isOptional, isSettled };
      pushTo(found, keyOf(kind, { namespace, name }), mention);
    };
    const { storageClassName } = facts;
    if (storageClassName !== undefined) note('StorageClass', storageClassName, false);
    const named = usedByPods(record);
    if (named === notRead) continue;
    for (const { kind, name, isMounted, isOptional } of named)
      note(kind, name, isMounted, isOptional);
  }
  return found;
}

/** Is it a volume, or a claim that has one? */
function isBound({ type, facts }: ObjectRecord): boolean {
  const resource = groupResourceOf(type);
  if (resource === 'persistentvolumes') return true;
  return resource === 'persistentvolumeclaims' && facts?.phase === 'Bound';
}

function setsOf(
  records: readonly ObjectRecord[],
  mentions: Mentions | undefined,
): ReadonlyMap<string, readonly ObjectRecord[]> {
  const sets = new Map(mentions?.sets);
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
  return (sets.get(claim.namespace) ?? []).find((set) => claimOrdinalOf(set, claim) >= 0);
}

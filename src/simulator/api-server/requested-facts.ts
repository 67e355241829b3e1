import { noTaints, type Taint } from '../../kube/facts/node.ts';
import { factFieldsOf } from '../../kube/facts/object-facts.ts';
import { fieldAt } from '../../kube/json-value.ts';
import {
  type ObjectFacts,
  type ObjectRecord,
  PV_PROTECTION,
  PVC_PROTECTION,
} from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { isNode, isPod } from '../../kube/well-known-kinds.ts';

/**
 * Facts of a new object: its status is the API server's initial one, except for a Node, whose
 * kubelet reports it.
 */
export function factsOfNew(record: ObjectRecord): ObjectFacts | undefined {
  const { type, facts } = record;
  const fields = factFieldsOf(type);
  if (!fields) return facts;
  if (isNode(record)) return { ...facts, taints: taintsOfNewNode(facts?.taints ?? noTaints) };
  const spec = pickedFacts(facts ?? {}, specFactsOf(type));
  const begun = isPod(record) || type.kind.startsWith('PersistentVolume');
  return {
    ...spec,
    ...(fields.some(({ key }) => key === 'generation') && { generation: 1 }),
    ...(begun && { phase: 'Pending' }),
  };
}

/** Finalizers that the admission plugin StorageObjectInUseProtection adds (PV-11, PV-12). */
export function finalizersOfNew({ type, finalizers }: ObjectRecord): readonly string[] {
  if (type.group !== '') return finalizers;
  const protection = protectionFinalizers[type.kind];
  if (protection === undefined || finalizers.includes(protection)) return finalizers;
  return [...finalizers, protection];
}

const protectionFinalizers: Readonly<Record<string, string>> = {
  PersistentVolume: PV_PROTECTION,
  PersistentVolumeClaim: PVC_PROTECTION,
};

/**
 * Facts after an update that asks for `wanted`: the spec is replaced, the status stays, because it has its
 * own subresource. If the spec of the object was not read, a part of it would look like the whole.
 */
export function factsOfUpdated(
  stored: ObjectRecord,
  wanted: ObjectFacts | undefined,
  change: SpecChange,
): ObjectFacts | undefined {
  const { type, facts } = stored;
  if (!wanted || (!facts && !isNode(stored))) return facts;
  const fields = factFieldsOf(type);
  if (!fields) return wanted;
  const specKeys = specFactsOf(type);
  const nodeName = knownNodeOf(stored);
  const updated = {
    ...pickedFacts(wanted, specKeys),
    ...pickedFacts(facts ?? {}, (key) => !specKeys(key)),
    // A binding cannot be undone.
    ...(nodeName !== undefined && { nodeName }),
  };
  const isCounted = fields.some(({ key }) => key === 'generation');
  if (!isCounted || change === 'none') return updated;
  const { generation = facts?.observedGeneration ?? 0 } = facts ?? {};
  const isOfNoRevision = change === 'template' && type.kind === 'StatefulSet';
  return { ...updated, generation: generation + 1, ...(isOfNoRevision && { updateRevision: '' }) };
}

/** Fields by which controllers only clean up: what they observed of a workload stays true. */
const aside = new Set(['revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy', 'paused']);

/** What a new spec asks for that the old one did not: other work, or pods of another template. */
export type SpecChange = 'none' | 'work' | 'template';

export function specChange(before: unknown, after: unknown): SpecChange {
  const work = (spec: unknown) =>
    JSON.stringify(spec ?? {}, (key, value) => (aside.has(key) ? undefined : value));
  if (work(before) === work(after)) return 'none';
  const templateOf = (spec: unknown) => work(fieldAt(spec, 'template'));
  return templateOf(before) === templateOf(after) ? 'work' : 'template';
}

function specFactsOf(type: ObjectRecord['type']): (key: string) => boolean {
  const keys = new Set(
    (factFieldsOf(type) ?? []).flatMap(({ key, path: [root] }) =>
      root === 'status' || root === 'metadata' ? [] : [key],
    ),
  );
  return (key) => keys.has(key);
}

function pickedFacts(facts: ObjectFacts, isWanted: (key: string) => boolean): ObjectFacts {
  return Object.fromEntries(Object.entries(facts).filter(([key]) => isWanted(key)));
}

/** What the admission plugin TaintNodesByCondition makes of a new Node's taints. */
function taintsOfNewNode(given: readonly Taint[]): readonly Taint[] {
  const { key, effect } = notReady;
  const hasIt = given.some((taint) => taint.key === key && taint.effect === effect);
  return hasIt ? given : [...given, notReady];
}

const notReady: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

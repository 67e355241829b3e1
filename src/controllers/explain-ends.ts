import { isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { isCustomResourceDefinition } from '../kube/well-known-kinds.ts';
import type { Graph } from '../snapshot/graph/graph.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { viewOf } from './cluster-view.ts';
import type { ControllerId, Decision, DecisionConfidence } from './controller.ts';
import { judge } from './garbage-collector/judge.ts';
import { allControllers } from './registry.ts';
import type { ControllerSettings } from './settings/controller-settings.ts';
import { type EnabledControllers, enabledControllers } from './settings/enabled-controllers.ts';

/** Why a controller was to delete an object, or to change it. */
export interface EndReason {
  readonly collector: ControllerId | 'garbage-collector' | 'namespace' | 'customresourcedefinition';
  readonly rule: string;
  readonly because: string;
  readonly confidence: DecisionConfidence;
}

/** Decisions of controllers on a snapshot, as far as they delete something. */
export function dueDeletions(
  snapshot: Snapshot,
  settings: ControllerSettings,
  kinds?: ReadonlySet<string>,
): readonly Decision[] {
  const isEnabled = enabledControllers(settings.controllers);
  const view = viewOf(snapshot);
  const now = Date.parse(snapshot.observedAt);
  return allControllers
    .filter(({ controllers }) => controllers.length === 0 || controllers.some(isEnabled))
    .filter(({ reads }) => kinds === undefined || reads.some((resource) => kinds.has(resource)))
    .flatMap((controller) => controller.decide(view, settings, now))
    .filter(({ action, confidence }) => action === 'delete' && confidence !== 'unknown');
}

/**
 * Which rule explains that objects are gone, or being deleted, in a later snapshot: what a controller would
 * have done with each of them, as it was, in the cluster as it is. What no rule explains, somebody deleted; it
 * is not in the answer. `planned`: what was due in the snapshot that the objects are from.
 */
export function explainEnds(
  graph: Graph,
  ended: readonly ObjectRecord[],
  settings: ControllerSettings,
  planned: readonly Decision[] = [],
): ReadonlyMap<ObjectRecord, EndReason> {
  const isEnabled = enabledControllers(settings.controllers);
  const after = graph.snapshot;
  const reasons = new Map<ObjectRecord, EndReason>();
  const definitions = new Set(ended.filter(isCustomResourceDefinition).map(({ name }) => name));
  // Who began a deletion that was under way before does not show.
  const open = ended.filter((record) => {
    if (isBeingDeleted(record) || record.uid === '') return false;
    const reason =
      endOfContainer(graph, record, definitions, isEnabled) ?? collection(graph, record, isEnabled);
    if (reason) reasons.set(record, reason);
    return reason === undefined || reason.confidence === 'unknown';
  });
  if (open.length === 0) return reasons;
  const now = Date.parse(after.observedAt);
  const openUids = new Map(open.map((record) => [record.uid, record]));
  const records = [...after.records.filter(({ uid }) => !openUids.has(uid)), ...open];
  const kinds = new Set(open.map(({ type }) => groupResourceOf(type)));
  const due = dueDeletions({ ...after, records }, settings, kinds).filter(
    ({ notBefore }) => notBefore <= now,
  );
  const done = planned.filter(
    ({ confidence, notAfter = Number.POSITIVE_INFINITY }) =>
      confidence === 'certain' && notAfter <= now,
  );
  const isOpen = new Set(open);
  for (const { object, collector, rule, because, confidence } of [...due, ...done]) {
    const record = openUids.get(object.uid);
    if (!record || !isOpen.delete(record)) continue;
    reasons.set(record, { collector, rule, because, confidence });
  }
  return reasons;
}

/** With a namespace goes what is in it, and with a CustomResourceDefinition its objects. */
function endOfContainer(
  { snapshot: { types }, coverage, at }: Graph,
  { type, namespace }: ObjectRecord,
  goneDefinitions: ReadonlySet<string>,
  isEnabled: EnabledControllers,
): EndReason | undefined {
  const confidence = 'certain';
  const namespaces = types.find('v1', 'Namespace');
  if (namespaces && namespace !== '' && isEnabled('namespace-controller')) {
    const found = at(namespaces, '', namespace);
    const isGone = !found && coverage.covers(namespaces, '', namespace);
    if (isGone || (found && isBeingDeleted(found))) {
      const because = `namespace ${namespace} is ${isGone ? 'gone' : 'being deleted'}`;
      return { collector: 'namespace', rule: 'GC-72', because, confidence };
    }
  }
  const definitions = types.find('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  const name = groupResourceOf(type);
  const definition = definitions && at(definitions, '', name);
  const isGone = goneDefinitions.has(name);
  if (!isGone && !(definition && isBeingDeleted(definition))) return undefined;
  const because = `its CustomResourceDefinition ${name} is ${isGone ? 'gone' : 'being deleted'}`;
  return { collector: 'customresourcedefinition', rule: 'GC-66', because, confidence };
}

function collection(
  graph: Graph,
  record: ObjectRecord,
  isEnabled: EnabledControllers,
): EndReason | undefined {
  if (!isEnabled(garbageCollector)) return undefined;
  const { action, rule, because } = judge(graph, record);
  if (action !== 'delete' && action !== 'unknown') return undefined;
  const confidence = action === 'delete' ? 'certain' : 'unknown';
  return { collector: 'garbage-collector', rule, because, confidence };
}

const garbageCollector = 'garbage-collector-controller';

/**
 * Why the garbage collector removed a reference that an object had, by what became of the owner; undefined
 * where no rule explains it.
 */
export function explainLostReference(
  graph: Graph,
  before: ObjectRecord,
  ownerUid: string,
): EndReason | undefined {
  const { action, references } = judge(graph, before);
  const lost = references.find(({ reference }) => reference.uid === ownerUid);
  if (lost?.class !== 'dangling' && lost?.class !== 'waiting') return undefined;
  const collector = 'garbage-collector';
  const { because } = lost;
  if (action === 'patch') return { collector, rule: 'GC-22.11', because, confidence: 'certain' };
  // It lives without an owner: so its owner was deleted with the policy Orphan, or somebody removed the reference.
  return { collector, rule: 'GC-37', because, confidence: 'likely' };
}

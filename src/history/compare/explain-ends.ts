import { viewOf } from '../../controllers/cluster-view.ts';
import type { ControllerId, Decision, DecisionConfidence } from '../../controllers/controller.ts';
import { decideAll } from '../../controllers/decision.ts';
import { judge } from '../../controllers/garbage-collector/judge.ts';
import { allControllers } from '../../controllers/registry.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { isCustomResourceDefinition, isNamespace } from '../../kube/well-known-kinds.ts';
import type { ControllerSettings } from '../../settings/controller-settings.ts';
import {
  type EnabledControllers,
  enabledControllers,
  garbageCollectorName,
} from '../../settings/enabled-controllers.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { absenceIn } from './compare-snapshots.ts';

/** Why a controller was to delete an object, or to change it. */
export interface EndReason {
  readonly collector: ControllerId | 'garbage-collector' | 'namespace' | 'customresourcedefinition';
  readonly rule: string;
  readonly because: string;
  readonly confidence: DecisionConfidence;
}

/** What controllers were to delete at a moment. */
export interface PlannedDeletions {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly decisions: readonly Decision[];
}

/** An earlier snapshot; some of its objects were deleted since. */
export interface EarlierSnapshot {
  readonly planned: PlannedDeletions;
  /** Namespaces and CustomResourceDefinitions that have gone since. */
  readonly goneContainers: readonly ObjectRecord[];
}

/**
 * What controllers that decide by these kinds are to delete, as far as a snapshot shows it.
 * @internal
 */
export function plannedDeletions(
  snapshot: Snapshot,
  settings: ControllerSettings,
  kinds: ReadonlySet<string>,
): PlannedDeletions {
  const isEnabled = enabledControllers(settings.controllers);
  const view = viewOf(snapshot);
  const at = Date.parse(snapshot.observedAt);
  const decisions = allControllers
    .filter(({ controllers }) => controllers.length === 0 || controllers.some(isEnabled))
    .filter(({ reads }) => reads.some((resource) => kinds.has(resource)))
    .flatMap((controller) => decideAll(controller, view, settings, at))
    .filter(({ action, confidence, rule }) => {
      return action === 'delete' && (confidence !== 'unknown' || rule === 'NODE-7');
    });
  return { at, decisions };
}

/**
 * The rule that explains why an object was deleted, or is being deleted, in a later snapshot: the decision of a controller
 * about the object as it was, in the cluster as it is; or else a deletion that was due before. An object that no rule
 * explains was deleted by a user or another program: it is not in the answer.
 */
function explainEnds(
  graph: Graph,
  ended: readonly ObjectRecord[],
  settings: ControllerSettings,
  { planned, goneContainers }: EarlierSnapshot,
): ReadonlyMap<ObjectRecord, EndReason> {
  const after = graph.snapshot;
  const isEnabled = enabledControllers(settings.controllers);
  const gone = new Map(goneContainers.map((record) => [containerKey(record), record]));
  const reasons = new Map<ObjectRecord, EndReason>();
  // Who began a deletion that was under way before does not show.
  const open = ended.filter((record) => {
    if (isBeingDeleted(record) || record.uid === '') return false;
    const reason =
      endOfContainer(graph, record, gone, isEnabled) ?? collection(graph, record, isEnabled);
    if (reason) reasons.set(record, reason);
    return reason === undefined || reason.confidence === 'unknown';
  });
  for (const [kind, records] of Map.groupBy(open, ({ type }) => groupResourceOf(type))) {
    const rules = rulesHeld(after, kind, records, settings, planned);
    for (const record of records) {
      const held = rules.get(record.uid);
      if (!held) continue;
      const { collector, rule, because, confidence } = held;
      reasons.set(record, { collector, rule, because, confidence });
    }
  }
  return reasons;
}

/** The same of two snapshots, one of them later. */
export function endsBetween(
  before: Graph,
  after: Graph,
  ended: readonly ObjectRecord[],
  settings: ControllerSettings,
): ReadonlyMap<ObjectRecord, EndReason> {
  const kinds = new Set(ended.map(({ type }) => groupResourceOf(type)));
  return explainEnds(after, ended, settings, {
    planned: plannedDeletions(before.snapshot, settings, kinds),
    goneContainers: goneContainers(before, after),
  });
}

/** Also where they are not among what is compared. */
function goneContainers(before: Graph, after: Graph): ObjectRecord[] {
  const isRead = absenceIn(after.snapshot);
  return before.snapshot.records.filter(
    (record) =>
      (isNamespace(record) || isCustomResourceDefinition(record)) &&
      !after.withUid(record.uid) &&
      isRead(record),
  );
}

/** The controllers of kube-controller-manager that follow its rules. */
export function controllersOf(collector: EndReason['collector']): readonly string[] {
  if (collector === 'garbage-collector') return [garbageCollectorName];
  if (collector === 'namespace') return ['namespace-controller'];
  return allControllers.find(({ id }) => id === collector)?.controllers ?? [];
}

/**
 * The deletions of one kind that were due by controllers other than the garbage collector, by uid. Objects of one kind are
 * counted together, such as the Jobs of a CronJob. Deleted objects of other kinds may be the reason.
 */
function rulesHeld(
  after: Snapshot,
  kind: string,
  gone: readonly ObjectRecord[],
  settings: ControllerSettings,
  planned: PlannedDeletions,
): ReadonlyMap<string, Decision> {
  const uids = new Set(gone.map(({ uid }) => uid));
  const records = [...after.records.filter(({ uid }) => !uids.has(uid)), ...gone];
  const now = plannedDeletions({ ...after, records }, settings, new Set([kind]));
  const held = [
    ...now.decisions.filter(({ notBefore }) => notBefore <= now.at).map(inHindsight),
    ...planned.decisions.filter(
      ({ confidence, notBefore, notAfter = Number.POSITIVE_INFINITY }) =>
        confidence === 'certain' && (notBefore <= planned.at || notAfter <= now.at),
    ),
  ];
  // The first rule that applies is named.
  return new Map(held.toReversed().map((decision) => [decision.object.uid, decision]));
}

/**
 * When a workload was scaled down only the later snapshot shows: its Pod may have been deleted before (WPOD-4). The eviction
 * of a Pod that no longer exists did not fail, however long ago it was due (NODE-7).
 */
function inHindsight(decision: Decision): Decision {
  const isLikely =
    decision.rule === 'WPOD-4' || (decision.rule === 'NODE-7' && decision.confidence === 'unknown');
  return isLikely ? { ...decision, confidence: 'likely' } : decision;
}

/** Of these, controllers other than the garbage collector delete objects by their spec and status. */
const collectedByFacts: ReadonlySet<string> = new Set([
  'certificatesigningrequests.certificates.k8s.io',
  'endpointslices.discovery.k8s.io',
  'jobs.batch',
  'leases.coordination.k8s.io',
  'nodes',
  'persistentvolumes',
  'pods',
  'replicasets.apps',
  'resourceclaims.resource.k8s.io',
]);

/** Can no rule be ruled out for an object, because only its metadata was read? */
export function isRuleUnknown({ type, facts, deletionTimestamp }: ObjectRecord): boolean {
  return (
    facts === undefined &&
    deletionTimestamp === undefined &&
    collectedByFacts.has(groupResourceOf(type))
  );
}

/** The namespace of this name, or the definition of this kind. */
function containerKey(record: ObjectRecord): string {
  return `${isNamespace(record) ? 'namespace' : 'kind'} ${record.name}`;
}

/** With a namespace goes what is in it, and with a CustomResourceDefinition its objects. */
export function endOfContainer(
  { snapshot: { types }, at }: Graph,
  { type, namespace }: ObjectRecord,
  gone: ReadonlyMap<string, ObjectRecord>,
  isEnabled: EnabledControllers,
): EndReason | undefined {
  const containerOf = (container: ResourceType | undefined, name: string, key: string) => {
    const found = container && at(container, '', name);
    if (gone.has(key)) return 'gone';
    return found && isBeingDeleted(found) ? 'being deleted' : undefined;
  };
  const confidence = 'certain';
  if (namespace !== '' && isEnabled('namespace-controller')) {
    const namespaces = types.find('v1', 'Namespace');
    const end = containerOf(namespaces, namespace, `namespace ${namespace}`);
    if (end !== undefined) {
      const because = `namespace ${namespace} is ${end}`;
      return { collector: 'namespace', rule: 'GC-72', because, confidence };
    }
  }
  const kind = groupResourceOf(type);
  const definitions = types.find('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  const end = containerOf(definitions, kind, `kind ${kind}`);
  if (end === undefined) return undefined;
  const because = `its CustomResourceDefinition ${kind} is ${end}`;
  return { collector: 'customresourcedefinition', rule: 'GC-66', because, confidence };
}

function collection(
  graph: Graph,
  record: ObjectRecord,
  isEnabled: EnabledControllers,
): EndReason | undefined {
  if (!isEnabled(garbageCollectorName)) return undefined;
  const { action, rule, because } = judge(graph, record);
  if (action !== 'delete' && action !== 'unknown') return undefined;
  const confidence = action === 'delete' ? 'certain' : 'unknown';
  return { collector: 'garbage-collector', rule, because, confidence };
}

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

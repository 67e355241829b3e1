import { controllerOf, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf, targetNodeOf } from '../../kube/pod-use.ts';
import { storedAs } from '../../kube/resource-type.ts';
import { isPod, pods } from '../../kube/well-known-kinds.ts';
import { controlling, type IndexKind } from '../cluster-view.ts';
import type {
  Change,
  Decision,
  PlayMemory,
  SyncController,
  SyncedController,
  SyncFacts,
  SyncInput,
} from '../controller.ts';
import { deletion, nextSync } from '../decision.ts';
import { siblingsOf } from '../jobs/job.ts';
import { type AdopterKind, adopterKinds, adoptersOf, adopts, mayBeOfNewSet } from './adopters.ts';
import { type Adoption, adoptionId, afterAdoption } from './after-adoption.ts';
import { mayBeOutdated, rolloutAfter } from './rollout.ts';

/** Takes Pods without a controller and scales; after the loss of a Pod, continues its rollout. */
const ofKind = (kind: AdopterKind): SyncController => {
  const linksOf = (record: ObjectRecord, { memory }: SyncFacts) =>
    memory?.released.linksOf(record) ?? [];
  return {
    runsAs: kind.controller,
    syncs: kind.resource,
    watches: [...new Set([kind.resource, ...kind.takes, pods, 'deployments.apps'])],
    isIdleAtStart: true,
    needsSync: (record, { memory }) =>
      memory !== undefined && (memory.released.concerns(record) || memory.lostPods.has(record)),
    affectedBy: (change, { view, memory }) =>
      memory ? affectedBy(change, kind, view, memory) : [],
    sync: (adopter, by) =>
      by.memory ? decideInPlay(adopter, kind, by, by.memory) : decideForAdopter(adopter, kind, by),
    links: Object.fromEntries([kind.resource, ...kind.takes].map((one) => [one, linksOf])),
  };
};

/**
 * A DaemonSet deletes a Pod that waits for a Node that does not exist. Mirrors getUnscheduledPodsWithoutNode,
 * pkg/controller/daemon (ADOPT-5).
 */
const waitingDaemonPods: SyncController = {
  runsAs: 'daemonset-controller',
  syncs: pods,
  watches: ['nodes'],
  isIdleAtStart: true,
  needsSync: (pod) => controllerOf(pod)?.kind === 'DaemonSet' && !isBeingDeleted(pod),
  keys: { nodes: ({ name }) => [name], [pods]: nodeAwaited },
  triggers: ({ before, after }) => before !== undefined && !after,
  sync(pod, { trigger, now }) {
    if (trigger !== 'change') return [];
    const because = `it waits for Node ${targetNodeOf(pod)}, which does not exist: its DaemonSet deletes it`;
    return [deletion(adoptionId, pod, { ...nextSync(now), because, rule: 'ADOPT-5' })];
  },
};

/** The Node that a Pod waits for. */
function nodeAwaited(pod: ObjectRecord): readonly string[] {
  const node = knownNodeOf(pod) === undefined ? targetNodeOf(pod) : undefined;
  return node === undefined ? [] : [node];
}

/**
 * Workloads adopt objects without a controller that their selectors match, and then scale: objects that are too many, or
 * not of their template, are deleted.
 */
export const adoption: SyncedController = {
  id: adoptionId,
  controllers: adopterKinds.map(({ controller }) => controller),
  reads: [...new Set(adopterKinds.flatMap(({ resource, takes }) => [resource, ...takes]))],
  syncers: [...adopterKinds.map(ofKind), waitingDaemonPods],
};

/** By kind: objects without a controller, by their namespaces. */
const withoutController: ReadonlyMap<string, IndexKind> = new Map(
  [...new Set(adopterKinds.flatMap(({ takes }) => takes))].map((resource) => [
    resource,
    {
      resource,
      keysOf: (object) =>
        controllerOf(object) || isBeingDeleted(object) ? [] : [object.namespace],
    },
  ]),
);

function decideForAdopter(
  adopter: ObjectRecord,
  { takes }: AdopterKind,
  { view, now }: SyncInput,
): readonly Decision[] {
  const wanted = takes
    .flatMap((resource) => {
      const kind = withoutController.get(resource);
      return kind ? view.index(kind).get(adopter.namespace) : [];
    })
    .filter((object) => adopts(adopter, object, view.minor));
  if (wanted.length === 0) return [];
  const isContested = (object: ObjectRecord) =>
    adoptersOf(object, view).some((other) => other !== adopter);
  const input: Adoption = {
    adopter,
    own: takes.flatMap((resource) => view.controlledBy(resource, adopter)),
    taken: wanted.filter((object) => !isContested(object)),
    contested: wanted.filter(isContested),
    siblings: siblingsOf(view, adopter),
    podsOf: (set) => view.controlledBy(pods, set),
  };
  return afterAdoption(input, now);
}

/** What it has taken since the play began counts as taken, and the Pods that it has lost may let a rollout continue. */
function decideInPlay(
  adopter: ObjectRecord,
  { takes }: AdopterKind,
  { view, now }: SyncInput,
  { released, lostPods }: PlayMemory,
): readonly Decision[] {
  const [taken, contested]: [ObjectRecord[], ObjectRecord[]] = [[], []];
  for (const object of released.of(adopter)) {
    const controller = controllerOf(object);
    if (controller?.uid === adopter.uid) taken.push(object);
    if (controller || !adopts(adopter, object, view.minor)) continue;
    const isContested = released.adoptersOf(object).length > 1 || mayBeOfNewSet(view, object);
    if (isContested) contested.push(object);
    else taken.push(object);
  }
  const own = takes.flatMap((resource) => view.controlledBy(resource, adopter));
  const input: Adoption = {
    adopter,
    own: own.filter((object) => !taken.includes(object)),
    taken,
    contested,
    siblings: siblingsOf(view, adopter),
    podsOf: (set) => view.controlledBy(pods, set),
  };
  const scaled = released.concerns(adopter) ? afterAdoption(input, now) : [];
  return [...scaled, ...rolloutAfter(input, lostPods.of(adopter), now)];
}

/** Takes note of what a write releases and whose Pods it deletes: the workload of that, or who may adopt it. */
function affectedBy(
  change: Change,
  { resource }: AdopterKind,
  view: SyncFacts['view'],
  { released, lostPods }: PlayMemory,
): readonly (ObjectRecord | undefined)[] {
  released.note(change);
  const losing = resource === 'jobs.batch' ? undefined : losingBy(change, resource, view, lostPods);
  const record = change.after ?? change.before;
  if (losing || released.isEmpty || !record) return [losing];
  const owner = controlling(record, resource, view);
  if (owner) return [owner];
  return released.adoptersOf(record).filter(({ type }) => storedAs(type) === resource);
}

/** The workload that loses Pods by this write, also with their ReplicaSet, and may continue a rollout then. */
function losingBy(
  { before, after }: Change,
  resource: string,
  view: SyncFacts['view'],
  lostPods: PlayMemory['lostPods'],
): ObjectRecord | undefined {
  if (!before || (after && !isBeingDeleted(after))) return undefined;
  const set = isPod(before) ? controlling(before, 'replicasets.apps', view) : undefined;
  const workload = controlling(set ?? before, resource, view);
  if (!workload) return undefined;
  // Where no Pod can be created in its place, no rollout continues.
  const namespace = view.at('namespaces', '', before.namespace);
  if (namespace && isBeingDeleted(namespace)) return undefined;
  const lost = isPod(before) ? [before] : view.controlledBy(pods, before);
  for (const pod of lost) lostPods.note(workload, pod);
  return mayBeOutdated(workload, view) ? workload : undefined;
}

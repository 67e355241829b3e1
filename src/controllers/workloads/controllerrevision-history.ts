import { matchesSelector } from '../../kube/label-selector.ts';
import { controllerOf, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { controllerRevisions, revisionHistoryLimitOf } from '../../kube/well-known-kinds.ts';
import { type ClusterView, controllerUid, controlling, type IndexKind } from '../cluster-view.ts';
import type {
  CleanUpController,
  Decision,
  Kept,
  SyncController,
  SyncedController,
  SyncFacts,
  SyncInput,
} from '../controller.ts';
import { byCreationAndName, deletion, nextSync } from '../decision.ts';

export const revisionLabel = 'controller-revision-hash';

/** A revision without a controller may belong to any set in its namespace (CRH-1). */
const revisionsByController: IndexKind = {
  resource: controllerRevisions,
  keysOf: (record) => (controllerOf(record) ? controllerUid(record) : [unownedIn(record)]),
};

/** StatefulSets and DaemonSets delete their oldest ControllerRevisions (CRH-1, CRH-2). */
export const controllerRevisionHistory: SyncedController = {
  id: 'controllerrevision-history',
  controllers: ['statefulset-controller', 'daemonset-controller'],
  reads: ['statefulsets.apps', 'daemonsets.apps', controllerRevisions, 'pods'],
  syncers: [
    historyOf('statefulsets.apps', 'statefulset-controller', ofStatefulSet),
    historyOf('daemonsets.apps', 'daemonset-controller', ofDaemonSet),
  ],
  kept: keptForRollback,
};

/** An old revision within the limit of its set (CRH-1, CRH-2). */
function keptForRollback(view: ClusterView, revision: ObjectRecord): Kept | undefined {
  const { kind = '', name = '', uid } = controllerOf(revision) ?? {};
  const isStatefulSet = kind === 'StatefulSet';
  const resource = isStatefulSet ? 'statefulsets.apps' : 'daemonsets.apps';
  const set = view.at(resource, revision.namespace, name);
  if (!set?.facts || set.uid !== uid) return undefined;
  const old = isStatefulSet ? oldOfStatefulSet(set, { view }) : oldOfDaemonSet(set, { view });
  if (!old.some((one) => one.uid === revision.uid)) return undefined;
  const limit = revisionHistoryLimitOf(set);
  const standard = set.facts.revisionHistoryLimit === undefined ? ', the default' : '';
  return {
    because: `${kind} ${name} keeps the last ${limit} of its old ControllerRevisions for a rollback (revisionHistoryLimit ${limit}${standard}), and has ${old.length}`,
    next: `To have it deleted, set a lower revisionHistoryLimit of the ${kind}.`,
    rule: isStatefulSet ? 'CRH-1' : 'CRH-2',
  };
}

function historyOf(
  syncs: string,
  runsAs: CleanUpController,
  sync: (set: ObjectRecord, by: SyncInput) => Decision[],
): SyncController {
  return {
    runsAs,
    syncs,
    sync: (set, by) => (set.facts ? sync(set, by) : []),
    watches: [syncs, controllerRevisions, 'pods'],
    needsSync: (set, by) =>
      set.facts !== undefined && possibleRevisions(set, by).length > revisionHistoryLimitOf(set),
    // The last Pod of a revision may be deleted.
    affectedBy: ({ before, after }, { view }) => [controlling(after ?? before, syncs, view)],
    links: {
      [controllerRevisions]: (record) => (controllerOf(record) ? [] : [unownedIn(record)]),
      [syncs](set, { view }) {
        const unowned = unownedIn(set);
        return view.index(revisionsByController).count(unowned) > 0 ? [unowned] : [];
      },
    },
  };
}

function unownedIn({ namespace }: ObjectRecord): string {
  return `unowned in ${namespace}`;
}

/** Its own revisions and those without a controller, but for those that `adoption` decides about. */
function possibleRevisions(set: ObjectRecord, { view, memory }: SyncFacts): ObjectRecord[] {
  const index = view.index(revisionsByController);
  const all = [...index.get(set.uid), ...index.get(unownedIn(set))];
  return all.filter(
    (revision) => revision.namespace === set.namespace && !memory?.released.has(revision),
  );
}

/** Mirrors truncateHistory, pkg/controller/statefulset/stateful_set_control.go. */
function ofStatefulSet(set: ObjectRecord, by: SyncInput): Decision[] {
  const limit = revisionHistoryLimitOf(set);
  if (limit < 0) return [];
  const old = oldOfStatefulSet(set, by);
  return old.slice(0, Math.max(0, old.length - limit)).map((revision) =>
    deletion(controllerRevisionHistory.id, revision, {
      ...nextSync(by.now),
      because: becauseOf('StatefulSet', set, old.length, limit),
      rule: 'CRH-1',
    }),
  );
}

/** Neither current nor of a Pod, the oldest first. */
function oldOfStatefulSet(
  set: ObjectRecord,
  by: Pick<SyncInput, 'view' | 'memory'>,
): ObjectRecord[] {
  const { currentRevision, updateRevision } = set.facts ?? {};
  const live = new Set([currentRevision, updateRevision, ...revisionsInUse(by.view, set)]);
  return possibleRevisions(set, by)
    .filter((revision) => matchesSelector(set.facts?.selector, revision.labels))
    .filter(({ name }) => !live.has(name))
    .sort((a, b) => revisionOf(a) - revisionOf(b) || byCreationAndName(a, b));
}

/** Mirrors cleanupHistory, pkg/controller/daemon/update.go. */
function ofDaemonSet(set: ObjectRecord, by: SyncInput): Decision[] {
  if (isBeingDeleted(set)) return [];
  const { generation, observedGeneration } = set.facts ?? {};
  const limit = revisionHistoryLimitOf(set);
  const used = new Set(revisionsInUse(by.view, set));
  const old = oldOfDaemonSet(set, by);
  const idle = old.filter(({ labels }) => !used.has(labels?.[revisionLabel] ?? ''));
  return idle.slice(0, Math.max(0, old.length - limit)).map((revision) =>
    deletion(controllerRevisionHistory.id, revision, {
      ...nextSync(by.now),
      confidence: generation === observedGeneration ? 'certain' : 'likely',
      because: becauseOf('DaemonSet', set, old.length, limit),
      rule: 'CRH-2',
    }),
  );
}

/** The current one has the highest number as soon as the controller has seen the template. */
function oldOfDaemonSet(set: ObjectRecord, by: SyncFacts): ObjectRecord[] {
  return possibleRevisions(set, by)
    .filter((revision) => controllerOf(revision))
    .sort((a, b) => revisionOf(a) - revisionOf(b))
    .slice(0, -1);
}

function revisionsInUse(view: ClusterView, set: ObjectRecord): string[] {
  return view.controlledBy('pods', set).flatMap(({ labels }) => labels?.[revisionLabel] ?? []);
}

export function revisionOf({ facts }: ObjectRecord): number {
  return facts?.revision ?? 0;
}

function becauseOf(kind: string, { name }: ObjectRecord, old: number, limit: number): string {
  return `${kind} ${name} has ${old} revisions that are not in force, and its revisionHistoryLimit is ${limit}; no pod is of this one`;
}

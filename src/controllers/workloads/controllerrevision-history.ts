import { matchesSelector } from '../../kube/label-selector.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Decision, SyncedController } from '../controller.ts';
import { byCreationAndName, controllerOf, deletion, nextSync } from '../decision.ts';

const id = 'controllerrevision-history';
const revisions = 'controllerrevisions.apps';
export const revisionLabel = 'controller-revision-hash';

/** StatefulSets and DaemonSets delete their oldest ControllerRevisions (CRH-1, CRH-2). */
export const controllerRevisionHistory: SyncedController = {
  id,
  controllers: ['statefulset-controller', 'daemonset-controller'],
  reads: ['statefulsets.apps', 'daemonsets.apps', revisions, 'pods'],
  syncers: [
    {
      runsAs: 'statefulset-controller',
      syncs: 'statefulsets.apps',
      sync: (set, { view, now }) => (set.facts ? ofStatefulSet(view, set, now) : []),
    },
    {
      runsAs: 'daemonset-controller',
      syncs: 'daemonsets.apps',
      sync: (set, { view, now }) => (set.facts ? ofDaemonSet(view, set, now) : []),
    },
  ],
};

/** Mirrors truncateHistory, pkg/controller/statefulset/stateful_set_control.go. */
function ofStatefulSet(view: ClusterView, set: ObjectRecord, now: number): Decision[] {
  const { revisionHistoryLimit: limit = 10, currentRevision, updateRevision } = set.facts ?? {};
  if (limit < 0) return [];
  const live = new Set([currentRevision, updateRevision, ...revisionsInUse(view, set)]);
  const old = view
    .in(revisions, set.namespace)
    .filter((revision) => {
      const owner = controllerOf(revision);
      const isOurs = owner === undefined || owner.uid === set.uid;
      return isOurs && matchesSelector(set.facts?.selector, revision.labels);
    })
    .filter(({ name }) => !live.has(name))
    .sort((a, b) => revisionOf(a) - revisionOf(b) || byCreationAndName(a, b));
  return old.slice(0, Math.max(0, old.length - limit)).map((revision) =>
    deletion(id, revision, {
      ...nextSync(now),
      because: becauseOf('StatefulSet', set, old.length, limit),
      rule: 'CRH-1',
    }),
  );
}

/** Mirrors cleanupHistory, pkg/controller/daemon/update.go. */
function ofDaemonSet(view: ClusterView, set: ObjectRecord, now: number): Decision[] {
  if (isBeingDeleted(set)) return [];
  const { revisionHistoryLimit: limit = 10, generation, observedGeneration } = set.facts ?? {};
  const used = new Set(revisionsInUse(view, set));
  const sorted = view
    .controlledBy(revisions, set)
    .toSorted((a, b) => revisionOf(a) - revisionOf(b));
  // The current one has the highest number as soon as the controller has seen the template.
  const old = sorted.slice(0, -1);
  const idle = old.filter(({ labels }) => !used.has(labels?.[revisionLabel] ?? ''));
  return idle.slice(0, Math.max(0, old.length - limit)).map((revision) =>
    deletion(id, revision, {
      ...nextSync(now),
      confidence: generation === observedGeneration ? 'certain' : 'likely',
      because: becauseOf('DaemonSet', set, old.length, limit),
      rule: 'CRH-2',
    }),
  );
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

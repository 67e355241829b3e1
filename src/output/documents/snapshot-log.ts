import {
  type EndReason,
  explainEnds,
  type PlannedDeletions,
  plannedDeletions,
} from '../../controllers/explain-ends.ts';
import type { ControllerSettings } from '../../controllers/settings/controller-settings.ts';
import { usageError } from '../../errors.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import {
  locationKey,
  type ObjectLocation,
  type ObjectReference,
  referenceTo,
} from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { timestampOf } from '../../kube/time.ts';
import { isCustomResourceDefinition, isNamespace } from '../../kube/well-known-kinds.ts';
import { compareObjects } from '../../snapshot/compare/compare-objects.ts';
import { absenceIn } from '../../snapshot/compare/compare-snapshots.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { buildGraph, type Graph } from '../../snapshot/graph/graph.ts';
import { type DocumentHead, headOf, type Snapshot } from '../../snapshot/snapshot.ts';
import { addedOwners, type ObjectChange, objectChangeOf } from './object-change.ts';
import { clusterUidOf, endingOf } from './snapshot-diff.ts';

/** `snapshot log`: the life of one object, as far as a history of snapshots shows it. */
export interface SnapshotLog extends DocumentHead<'SnapshotLog'> {
  readonly items: readonly LogItem[];
  /** In the order of time. */
  readonly snapshots: readonly LoggedSnapshot[];
}

export interface LoggedSnapshot {
  readonly path: string;
  readonly observedAt: string;
  readonly state: 'present' | 'absent' | 'not-read';
  readonly uid?: string;
}

export interface LogItem extends ObjectChange {
  /** `found`: the first snapshot that tells has it already. */
  readonly change: 'found' | 'came' | 'changed' | 'went' | 'recreated';
  readonly object: ObjectReference;
  readonly previousUid?: string;
  /** RFC 3339: it happened after this snapshot was taken; unset where no earlier one tells. */
  readonly after?: string;
  /** RFC 3339: and before this one was. */
  readonly before: string;
  /** RFC 3339: when exactly, where the object itself says so. */
  readonly at?: string;
  /** One that went was being deleted before. */
  readonly deletingSince?: string;
  readonly reason?: EndReason;
  /** Whether a rule explains it is not known: only metadata of the object was read. */
  readonly ruleUnknown?: true;
}

/** What is remembered of the last snapshot that told something. */
interface Known {
  readonly observedAt: string;
  /** Undefined: there was none. */
  readonly record: ObjectRecord | undefined;
  /** Its namespace, and the CustomResourceDefinition of its kind. */
  readonly containers: readonly ObjectRecord[];
  /** What controllers were to do with it. */
  readonly planned: PlannedDeletions;
}

/** Takes one snapshot after the other, in the order of time, and keeps of each no more than what is about the object. */
export class SnapshotLogBuilder {
  readonly #settingsOf: (snapshot: Snapshot) => ControllerSettings;
  readonly #items: LogItem[] = [];
  readonly #snapshots: LoggedSnapshot[] = [];
  readonly #problems = new Map<string, CoverageProblem>();
  #known: Known | undefined;
  #last: { readonly observedAt: string; readonly path: string } | undefined;
  #clusterUid: string | undefined;
  /** Of the last snapshot. */
  #head: DocumentHead<'SnapshotLog'> | undefined;

  /** `settingsOf`: how controllers were configured when a snapshot was taken. */
  constructor(settingsOf: (snapshot: Snapshot) => ControllerSettings) {
    this.#settingsOf = settingsOf;
  }

  /** Undefined: the snapshot does not tell what kind of object it is. */
  add(snapshot: Snapshot, path: string, location: ObjectLocation | 'unserved' | undefined): void {
    this.#checkOrder(snapshot, path);
    const { observedAt } = snapshot;
    this.#head = headOf('SnapshotLog', snapshot);
    for (const problem of snapshot.coverage.problems) {
      if (location === undefined || isAbout(problem, location)) {
        this.#problems.set(problem.message, problem);
      }
    }
    const record = typeof location === 'object' ? recordAt(snapshot, location) : undefined;
    const isAbsent =
      location === 'unserved' ||
      (location !== undefined && !record && absenceIn(snapshot)(location));
    const state = record ? 'present' : isAbsent ? 'absent' : 'not-read';
    this.#snapshots.push({ path, observedAt, state, ...(record && { uid: record.uid }) });
    if (state === 'not-read') return;
    this.#compare(snapshot, record);
    this.#known = this.#whatIsKnown(snapshot, record);
  }

  /** Undefined where no snapshot was added. */
  report(): SnapshotLog | undefined {
    const head = this.#head;
    if (!head) return undefined;
    const problems = [...this.#problems.values()];
    const isWhole = this.#snapshots.every(({ state }) => state !== 'not-read');
    return {
      ...head,
      coverage: { ...head.coverage, complete: isWhole && problems.length === 0, problems },
      items: this.#items,
      snapshots: this.#snapshots,
    };
  }

  #checkOrder(snapshot: Snapshot, path: string): void {
    const { observedAt } = snapshot;
    const last = this.#last;
    if (last && Date.parse(observedAt) < Date.parse(last.observedAt)) {
      throw usageError(
        'not-in-order',
        `${path} is older (${observedAt}) than ${last.path} (${last.observedAt}), which was read before it`,
        'Name the files in the order in which they were saved, or their folder.',
      );
    }
    const clusterUid = clusterUidOf(snapshot);
    if (
      clusterUid !== undefined &&
      this.#clusterUid !== undefined &&
      clusterUid !== this.#clusterUid
    ) {
      throw usageError(
        'several-clusters',
        `${path} is of another cluster than the files before it: namespace kube-system has another uid`,
        'Keep the history of each cluster in a folder of its own.',
      );
    }
    this.#clusterUid ??= clusterUid;
    this.#last = { observedAt, path };
  }

  #whatIsKnown(snapshot: Snapshot, record: ObjectRecord | undefined): Known {
    const { observedAt, records } = snapshot;
    if (!record) {
      return { observedAt, record, containers: [], planned: { at: 0, decisions: [] } };
    }
    const kind = groupResourceOf(record.type);
    const { at, decisions } = plannedDeletions(
      snapshot,
      this.#settingsOf(snapshot),
      new Set([kind]),
    );
    return {
      observedAt,
      record,
      containers: records.filter(
        (one) =>
          (one.name === record.namespace && isNamespace(one)) ||
          (one.name === kind && isCustomResourceDefinition(one)),
      ),
      planned: { at, decisions: decisions.filter(({ object }) => object.uid === record.uid) },
    };
  }

  #compare(snapshot: Snapshot, now: ObjectRecord | undefined): void {
    const known = this.#known;
    const was = known?.record;
    const between = {
      ...(known && { after: known.observedAt }),
      before: snapshot.observedAt,
    };
    if (!known || !was) {
      if (!now) return;
      this.#items.push({
        change: known ? 'came' : 'found',
        ...between,
        ...beginningOf(now, snapshot),
      });
      return;
    }
    const graph = buildGraph(snapshot);
    if (now && (now.uid === was.uid || now.uid === '' || was.uid === '')) {
      const difference = compareObjects(was, now);
      if (!difference) return;
      const began = difference.deletionTimestamp?.before === '';
      const reason = began ? this.#endOf(graph, known) : undefined;
      this.#items.push({
        change: 'changed',
        object: referenceTo(now),
        ...between,
        ...(began && { at: requestTimeOf(now) }),
        ...objectChangeOf({ before: was, after: now }, difference, snapshot.evidence, graph),
        ...(reason && { reason }),
      });
      return;
    }
    const reason = this.#endOf(graph, known);
    const end = endingOf(was, reason);
    this.#items.push(
      now
        ? {
            change: 'recreated',
            ...between,
            ...beginningOf(now, snapshot),
            previousUid: was.uid,
            ...end,
          }
        : { change: 'went', object: referenceTo(was), ...between, ...end },
    );
  }

  #endOf(graph: Graph, { record, containers, planned }: Known): EndReason | undefined {
    if (!record) return undefined;
    const isRead = absenceIn(graph.snapshot);
    const goneContainers = containers.filter((one) => !graph.withUid(one.uid) && isRead(one));
    const settings = this.#settingsOf(graph.snapshot);
    return explainEnds(graph, [record], settings, { planned, goneContainers }).get(record);
  }
}

function recordAt({ records }: Snapshot, location: ObjectLocation): ObjectRecord | undefined {
  const key = locationKey(location);
  return records.find((record) => record.name === location.name && locationKey(record) === key);
}

function isAbout({ resource, namespace }: CoverageProblem, location: ObjectLocation | 'unserved') {
  if (location === 'unserved') return false;
  return (
    (resource === undefined || resource === groupResourceOf(location.type)) &&
    (namespace === undefined || namespace === location.namespace)
  );
}

/** What is known of an object's beginning. */
function beginningOf(record: ObjectRecord, { evidence }: Snapshot) {
  const { creationTimestamp, ownerReferences } = record;
  return {
    object: referenceTo(record),
    ...(creationTimestamp !== undefined && { at: creationTimestamp }),
    ...(ownerReferences.length > 0 && {
      owners: { added: addedOwners(record, ownerReferences, evidence), removed: [] },
    }),
  };
}

/** The deletionTimestamp is when the grace period ends. */
function requestTimeOf({ deletionTimestamp = '', deletionGracePeriodSeconds = 0 }: ObjectRecord) {
  const time = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return Number.isNaN(time) ? deletionTimestamp : timestampOf(time);
}

import type { AuditedRequest } from '../../history/audited-request.ts';
import {
  type ComparedPart,
  type Comparison,
  compareSnapshots,
  type NotCompared,
} from '../../history/compare/compare-snapshots.ts';
import { type EndReason, endsBetween, isRuleUnknown } from '../../history/compare/explain-ends.ts';
import { historyOf } from '../../history/deletions/history.ts';
import type { Removal, RemovalCause, RemovalLink } from '../../history/deletions/removal.ts';
import { removalOf } from '../../history/deletions/removal-chain.ts';
import { placeIn } from '../../history/deletions/request-index.ts';
import { picked } from '../../kube/json-value.ts';
import { compareText } from '../../kube/names.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import {
  compareObjects as compareReferences,
  type ObjectReference,
  referenceTo,
} from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isCustomResourceDefinition, isNamespace } from '../../kube/well-known-kinds.ts';
import type { ControllerSettings } from '../../settings/controller-settings.ts';
import { buildGraph, type Graph } from '../../snapshot/graph/graph.ts';
import { countingHead, type DocumentHead, type Snapshot } from '../../snapshot/snapshot.ts';
import { type ObjectChange, objectChangeOf } from './object-change.ts';

/** `snapshot diff`: what happened between two snapshots. */
export interface SnapshotDiff extends DocumentHead<'SnapshotDiff'> {
  readonly before: ComparedSnapshot;
  readonly after: ComparedSnapshot;
  /** `unknown` where the uid of namespace kube-system is not in both. */
  readonly sameCluster: 'yes' | 'no' | 'unknown';
  /** What to know before reading on: the snapshots are of two clusters, or in the wrong order. */
  readonly remarks: readonly string[];
  /** Is it said by which rule objects went? */
  readonly explained: boolean;
  readonly summary: DiffSummary;
  /** In the order of their roots. */
  readonly items: readonly DiffItem[];
  /** Kinds that only one of the snapshots contains: their objects count neither as created nor as deleted. */
  readonly notCompared: readonly NotCompared[];
  /** Kinds of which only metadata was read, so that STATUS and READY are not compared. */
  readonly stateNotCompared: readonly string[];
}

export interface ComparedSnapshot {
  readonly observedAt: string;
  /** When the first list was answered, where that was earlier. */
  readonly observedFrom?: string;
  readonly objects: number;
  readonly serverVersion?: string;
  /** The API server's address, and the uid of namespace kube-system, which no two clusters share. */
  readonly server?: string;
  readonly clusterUid?: string;
}

export interface DiffSummary {
  readonly came: number;
  readonly went: number;
  readonly recreated: number;
  readonly changed: number;
  /** Of those that went or were recreated: a rule of a controller explains it. */
  readonly collected: number;
}

export interface DiffItem extends ObjectChange {
  readonly change: 'came' | 'went' | 'recreated' | 'changed';
  /** One that was recreated is named by its new uid. */
  readonly object: ObjectReference;
  readonly previousUid?: string;
  /** The owner above all its owners; or the namespace, or CustomResourceDefinition, that came or went with it. */
  readonly root: ObjectReference;
  /** One that went was being deleted in the first snapshot already. */
  readonly deletingSince?: string;
  /** The rule by which it went, or its deletion began; unset where no rule explains it. */
  readonly reason?: EndReason;
  /** The request that began its deletion, where an audit log was read. */
  readonly deletedBy?: RemovalLink;
  /** Whether a rule explains it is not known: only metadata of the object was read. */
  readonly ruleUnknown?: true;
}

/** A snapshot, and from which server it was saved. */
export interface Compared {
  readonly snapshot: Snapshot;
  readonly server: string | undefined;
}

export function snapshotDiff(
  before: Compared,
  after: Compared,
  part: ComparedPart,
  settings: ControllerSettings,
  requests: readonly AuditedRequest[] = [],
): SnapshotDiff {
  const comparison = compareSnapshots(before.snapshot, after.snapshot, part);
  const [earlier, later] = [comparedSnapshot(before), comparedSnapshot(after)];
  const sameCluster = areSame(earlier.clusterUid, later.clusterUid);
  const isBackwards = Date.parse(later.observedAt) < Date.parse(earlier.observedAt);
  const explained = sameCluster !== 'no' && !isBackwards;
  const graphs = { before: buildGraph(before.snapshot), after: buildGraph(after.snapshot) };
  const items = diffItems(comparison, graphs, explained ? { settings, requests } : undefined);
  const { notCompared, stateNotCompared } = comparison;
  const { coverage, ...head } = countingHead('SnapshotDiff', after.snapshot, part);
  const first = countingHead('SnapshotDiff', before.snapshot, part);
  const problems = new Map(
    [...first.coverage.problems, ...coverage.problems].map((problem) => [problem.message, problem]),
  );
  return {
    ...head,
    coverage: {
      ...coverage,
      complete: problems.size === 0 && notCompared.length === 0,
      problems: [...problems.values()],
    },
    before: earlier,
    after: later,
    sameCluster,
    remarks: diffRemarks(earlier, later, sameCluster, isBackwards),
    explained,
    summary: diffSummary(items),
    items,
    notCompared,
    stateNotCompared,
  };
}

function comparedSnapshot({ snapshot, server }: Compared): ComparedSnapshot {
  const clusterUid = clusterUidOf(snapshot);
  return {
    ...picked(snapshot, 'observedAt', 'observedFrom'),
    objects: snapshot.records.length,
    ...picked(snapshot, 'serverVersion'),
    ...(server !== undefined && { server }),
    ...(clusterUid !== undefined && { clusterUid }),
  };
}

/** No two clusters share the uid of namespace kube-system, whatever address they are reached by. */
function clusterUidOf({ records }: Snapshot): string | undefined {
  const found = records.find((record) => isNamespace(record) && record.name === 'kube-system');
  return found?.uid || undefined;
}

function areSame(a: string | undefined, b: string | undefined): SnapshotDiff['sameCluster'] {
  if (a === undefined || b === undefined) return 'unknown';
  return a === b ? 'yes' : 'no';
}

function diffRemarks(
  before: ComparedSnapshot,
  after: ComparedSnapshot,
  sameCluster: SnapshotDiff['sameCluster'],
  isBackwards: boolean,
): string[] {
  const servers = [before.server, after.server].filter((one) => one !== undefined);
  const named = new Set(servers).size > 1 ? ` (${servers.join(' and ')})` : '';
  const remarks: string[] = [];
  if (sameCluster === 'no') {
    remarks.push(
      `The snapshots are of two clusters${named}: namespace kube-system has another uid. Objects of the same name count as recreated, and no rule is named.`,
    );
  } else if (sameCluster === 'unknown' && named !== '') {
    remarks.push(
      `The snapshots were saved from two addresses${named}, and may be of two clusters: namespace kube-system, whose uid identifies a cluster, is not in both.`,
    );
  }
  if (isBackwards) {
    remarks.push(
      `The second snapshot is older (${after.observedAt}) than the first (${before.observedAt}): what "came" had gone by then, and no rule is named. Swap them to read on in time.`,
    );
  }
  for (const { observedAt, observedFrom = observedAt } of [before, after]) {
    if (Date.parse(observedAt) - Date.parse(observedFrom) < longReading) continue;
    remarks.push(
      `The lists of one snapshot were read from ${observedFrom} to ${observedAt}: of what changed in between, one object may be shown as it was before and another as it was after.`,
    );
  }
  return remarks;
}

/** Milliseconds: reading takes a moment, and in a longer one much can change. */
const longReading = 10_000;

interface Graphs {
  readonly before: Graph;
  readonly after: Graph;
}

/** What explains the deletion of objects. */
interface Explaining {
  readonly settings: ControllerSettings;
  readonly requests: readonly AuditedRequest[];
}

/** Nothing is explained where `by` is undefined. */
function diffItems(
  { came, went, recreated, changed }: Comparison,
  graphs: Graphs,
  by: Explaining | undefined,
): DiffItem[] {
  const settings = by?.settings;
  const { evidence } = graphs.after.snapshot;
  const began = changed.filter(({ difference }) => difference.deletionTimestamp?.before === '');
  const ended = [...went, ...[...recreated, ...began].map(({ before }) => before)];
  const reasons = settings && endsBetween(graphs.before, graphs.after, ended, settings);
  const [before, after] = [graphs.before.snapshot, graphs.after.snapshot];
  const history = by && historyOf({ ...by, reasons, before, after });
  const endOf = (record: ObjectRecord) => {
    const reason = reasons?.get(record);
    const isKnown = reason !== undefined && reason.confidence !== 'unknown';
    const isExplained = isKnown && by?.requests.length === 0;
    const removal = isExplained
      ? undefined
      : history && removalOf(history, placeIn(record), record.uid);
    return endingOf(record, isKnown ? reason : (reasonIn(removal) ?? reason), removal);
  };
  const rootOf = rootFinder(graphs, [...came, ...went, ...recreated.map(({ after }) => after)]);
  const about = (record: ObjectRecord) => ({
    object: referenceTo(record),
    root: referenceTo(rootOf(record)),
  });
  const items: DiffItem[] = [
    ...came.map((record) => ({ change: 'came' as const, ...about(record) })),
    ...went.map((record) => ({ change: 'went' as const, ...about(record), ...endOf(record) })),
    ...recreated.map(({ before, after }) => ({
      change: 'recreated' as const,
      ...about(after),
      previousUid: before.uid,
      ...endOf(before),
    })),
    ...changed.map(({ before, after, difference }) => {
      const reason = difference.deletionTimestamp?.before === '' ? reasons?.get(before) : undefined;
      return {
        change: 'changed' as const,
        ...about(after),
        ...objectChangeOf({ before, after }, difference, evidence, settings && graphs.after),
        ...(reason && { reason }),
      };
    }),
  ];
  return items.sort(
    (a, b) =>
      compareText(a.root.namespace, b.root.namespace) ||
      compareReferences(a.root, b.root) ||
      Number(a.object.uid !== a.root.uid) - Number(b.object.uid !== b.root.uid) ||
      compareReferences(a.object, b.object),
  );
}

/** What is said of a deleted object. */
function endingOf(
  record: ObjectRecord,
  reason: EndReason | undefined,
  removal: Removal | undefined,
): Pick<DiffItem, 'deletingSince' | 'reason' | 'deletedBy' | 'ruleUnknown'> {
  const { deletionTimestamp } = record;
  const began = removal?.links.at(-1);
  return {
    ...(began?.requester && { deletedBy: began }),
    ...(deletionTimestamp !== undefined && { deletingSince: deletionTimestamp }),
    ...(reason ? { reason } : isRuleUnknown(record) && { ruleUnknown: true }),
  };
}

const collectors: Readonly<Partial<Record<RemovalCause, EndReason['collector']>>> = {
  owner: 'garbage-collector',
  reference: 'garbage-collector',
  collected: 'garbage-collector',
  namespace: 'namespace',
  definition: 'customresourcedefinition',
};

/** The object was deleted after another one that ended, as a definition that was deleted with its instances. */
function reasonIn(removal: Removal | undefined): EndReason | undefined {
  const { cause, rule, because, certainty } = removal?.links[0] ?? {};
  const collector = cause && collectors[cause];
  if (collector === undefined || rule === undefined || because === undefined) return undefined;
  const confidence = certainty === 'might be' ? 'likely' : 'certain';
  return { collector, rule, because, confidence };
}

/** What an object belongs to: what came or went with a namespace or a definition is below that. */
function rootFinder(
  { before, after }: Graphs,
  moved: readonly ObjectRecord[],
): (record: ObjectRecord) => ObjectRecord {
  const namespaces = new Map(moved.filter(isNamespace).map((one) => [one.name, one]));
  const definitions = new Map(
    moved.filter(isCustomResourceDefinition).map((one) => [one.name, one]),
  );
  const ownerOf = ({ ownerReferences }: ObjectRecord) => {
    const named = ownerReferences.find(({ controller }) => controller) ?? ownerReferences[0];
    return named && (after.withUid(named.uid) ?? before.withUid(named.uid));
  };
  return (record) => {
    const container =
      namespaces.get(record.namespace) ?? definitions.get(groupResourceOf(record.type));
    if (container) return container;
    const seen = new Set<ObjectRecord>();
    let at = record;
    for (let above = ownerOf(at); above && !seen.has(above); above = ownerOf(at)) {
      seen.add(above);
      at = above;
    }
    return at;
  };
}

function diffSummary(items: readonly DiffItem[]): DiffSummary {
  const counts = { came: 0, went: 0, recreated: 0, changed: 0 };
  for (const { change } of items) counts[change] += 1;
  return { ...counts, collected: items.filter(isCollected).length };
}

/** Did it go by a rule? */
export function isCollected({ change, reason }: DiffItem): boolean {
  return (
    (change === 'went' || change === 'recreated') &&
    reason !== undefined &&
    reason.confidence !== 'unknown'
  );
}

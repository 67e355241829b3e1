import { kindsInWords } from '../kube/counts-by-kind.ts';
import type { Json } from '../kube/json-value.ts';
import { compareText } from '../kube/names.ts';
import { byContent, type ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf, isDeletable } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import { type Coverage, type CoverageProblem, coverageIndexOf } from './coverage.ts';
import type { Evidence } from './evidence.ts';

/** Where a snapshot came from. */
export type Origin =
  | { readonly kind: 'cluster'; readonly server: string }
  | { readonly kind: 'files'; readonly paths: readonly string[] };

/**
 * What was read of a cluster at one moment, immutable: the only input of the graph and of
 * everything after it.
 */
export interface Snapshot {
  readonly records: readonly ObjectRecord[];
  readonly types: ResourceTypes;
  readonly coverage: Coverage;
  /** RFC 3339: the moment the snapshot was taken; offline commands use it as the current time. */
  readonly observedAt: string;
  /**
   * RFC 3339: when the first list was answered, where that was before `observedAt`. Of what changed in between, the
   * lists may show one object as it was before and another as it was after.
   */
  readonly observedFrom?: string | undefined;
  /** `v1.36.3`, when known. */
  readonly serverVersion: string | undefined;
  readonly origin: Origin;
  /** What was read besides objects; undefined where nothing but objects was. */
  readonly evidence?: Evidence | undefined;
  /** How kube-controller-manager runs, by its own pods or as it was saved (settings/settings-facts.ts). */
  readonly settings?: Json | undefined;
  /** kube-controller-manager's `--controllers`, where that is known. */
  readonly controllers?: readonly string[] | undefined;
}

/** Was a cluster read, now or when the snapshot was saved? Other files show neither the time nor how much was read. */
export function isOfCluster({ origin, evidence }: Pick<Snapshot, 'origin' | 'evidence'>): boolean {
  return origin.kind === 'cluster' || evidence !== undefined;
}

/** What every document says about how much was read. */
export interface CoverageSummary {
  readonly complete: boolean;
  /** Number of kinds read in full. */
  readonly kinds: number;
  readonly objects: number;
  readonly problems: readonly CoverageProblem[];
}

/** The head of every JSON and YAML document. */
export interface DocumentHead<K extends string> {
  readonly apiVersion: 'kubectl-gc/v1';
  readonly kind: K;
  readonly coverage: CoverageSummary;
}

/** `found`: problems that the answer itself met. */
export function headOf<K extends string>(
  kind: K,
  { coverage, records }: Snapshot,
  found: readonly CoverageProblem[] = [],
): DocumentHead<K> {
  const kinds = new Set(coverage.read.map(({ resource }) => resource)).size;
  return documentHead(kind, kinds, records.length, [...coverage.problems, ...found]);
}

/** The head of a document about so much, of which `problems` says what could not be read. */
export function documentHead<K extends string>(
  kind: K,
  kinds: number,
  objects: number,
  problems: readonly CoverageProblem[],
): DocumentHead<K> {
  const coverage = { complete: problems.length === 0, kinds, objects, problems };
  return { apiVersion: 'kubectl-gc/v1', kind, coverage };
}

/** Which objects are counted: of these kinds, by default of all; in this namespace, by default in all. */
export interface CountedObjects {
  readonly kinds?: ReadonlySet<string> | undefined;
  readonly namespace?: string | undefined;
}

/**
 * The head of a document that counts objects. Where files do not show all of these objects, the document is incomplete.
 * `found`: problems that the answer itself met.
 */
export function countingHead<K extends string>(
  kind: K,
  snapshot: Snapshot,
  counted: CountedObjects = {},
  found: readonly CoverageProblem[] = [],
): DocumentHead<K> {
  return headOf(kind, snapshot, [...notShown(snapshot, counted), ...found]);
}

/** What files do not show of the objects that are counted; a cluster has answered for each kind, or that is a problem already. */
function notShown(
  { origin, types, coverage }: Snapshot,
  { kinds, namespace }: CountedObjects,
): CoverageProblem[] {
  if (origin.kind !== 'files') return [];
  const index = coverageIndexOf(coverage);
  const reported = new Set(coverage.problems.map(({ resource }) => resource));
  const lacking = types
    .preferred()
    .filter(
      (type) =>
        (kinds === undefined ? isDeletable(type) : kinds.has(groupResourceOf(type))) &&
        (namespace === undefined || type.namespaced) &&
        !index.coversKind(type, namespace ?? ''),
    )
    .map(groupResourceOf)
    .filter((resource) => !reported.has(resource));
  if (lacking.length === 0) return [];
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const message = `the input does not show all objects of ${kindsInWords(lacking)}${where}`;
  return [{ reason: 'not-in-input', message }];
}

/** Snapshots that are in order already. They are returned unchanged, as an index of them may exist. */
const ordered = new WeakSet<Snapshot>();

/**
 * The same snapshot with its objects by kind, namespace, name and uid: what is printed must not
 * depend on the order of the input. Lists of a server are sorted already, so this costs little.
 */
export function inOrder(snapshot: Snapshot): Snapshot {
  if (ordered.has(snapshot)) return snapshot;
  const compare = (a: ObjectRecord, b: ObjectRecord) =>
    (a.type === b.type ? 0 : compareText(groupResourceOf(a.type), groupResourceOf(b.type))) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name) ||
    compareText(a.uid, b.uid);
  const sorted = { ...snapshot, records: snapshot.records.toSorted(compare) };
  ordered.add(sorted);
  return sorted;
}

/** By uid, so that a plan does not depend on which was read first. */
export function inContentOrder(records: readonly ObjectRecord[]): readonly ObjectRecord[] {
  return records.toSorted(
    (a, b) =>
      compareText(a.uid, b.uid) ||
      byContent(a, b) ||
      compareText(a.type.version, b.type.version) ||
      compareText(a.resourceVersion ?? '', b.resourceVersion ?? ''),
  );
}

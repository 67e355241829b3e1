import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';

/** Which of two records of one object counts; doubtful when they differ and neither is known to be newer. */
export function preferRecord(
  before: ObjectRecord,
  after: ObjectRecord,
  rank: (type: ResourceType) => number,
): { readonly preferred: ObjectRecord; readonly isDoubtful: boolean } {
  const age = compareResourceVersions(before.resourceVersion, after.resourceVersion);
  if (age !== 0) return { preferred: age > 0 ? before : after, isDoubtful: false };
  // What a cluster stored counts more than the manifest it was made of.
  if ((before.uid === '') !== (after.uid === '')) {
    return { preferred: after.uid === '' ? before : after, isDoubtful: false };
  }
  const isSameVersion =
    before.resourceVersion !== undefined && before.resourceVersion === after.resourceVersion;
  const isSameState = isSameVersion || contentOf(before) === contentOf(after);
  if (!isSameState) return { preferred: after, isDoubtful: true };
  if ((before.facts === undefined) !== (after.facts === undefined)) {
    return { preferred: before.facts ? before : after, isDoubtful: false };
  }
  return { preferred: rank(after.type) < rank(before.type) ? after : before, isDoubtful: false };
}

/** Above 0 when `a` is newer. They are decimal numbers of any length; having none is oldest. */
function compareResourceVersions(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const [left, right] = [a, b].map((version) => version.replace(/^0+/, ''));
  if (left === undefined || right === undefined || !isNumber(a) || !isNumber(b)) return 0;
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}

function isNumber(version: string): boolean {
  return /^\d+$/.test(version);
}

function contentOf(record: ObjectRecord): string {
  const { type, place, writers, labels, annotations, ...rest } = record;
  return JSON.stringify([rest, sorted(labels), sorted(annotations)]);
}

function sorted(map: Readonly<Record<string, string>> | undefined): [string, string][] {
  return Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}

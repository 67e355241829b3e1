import { groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { Coverage, CoverageProblem, ReadKind } from '../snapshot/coverage.ts';
import type { InputContents, TypedList } from './input-contents.ts';
import type { ResolvedKinds } from './kind-table.ts';

/**
 * What the inputs show in full: kinds with an object or a list of their own, unless a part of them
 * was lost, and what saved snapshots say of themselves. `complete`: all kinds are there.
 */
export function filesCoverage(
  gathering: InputContents,
  { types, finalType, problems }: ResolvedKinds,
  complete: boolean,
): Coverage {
  const saved = gathering.snapshots.map(({ coverage }) => coverage);
  const unfinished = unfinishedLists(gathering.typedLists);
  const partial = new Set(unfinished.map(({ kind }) => kind));
  const shown = shownTypes(gathering, types, finalType, complete)
    .filter(({ kind }) => !gathering.lost.has(kind) && !partial.has(kind))
    .map((type) => groupResourceOf(type));
  return {
    read: mergeRead([
      ...saved.flatMap(({ read }) => read),
      ...[...new Set(shown)].sort().map((resource) => ({ resource })),
    ]),
    asked: saved.flatMap(({ asked }) => asked),
    problems: [
      ...saved.flatMap((coverage) => coverage.problems),
      ...gathering.problems,
      ...unfinished.map(unfinishedList),
      ...problems,
    ],
  };
}

function shownTypes(
  { readTypes, typedLists }: InputContents,
  types: ResourceTypes,
  finalType: (type: ResourceType) => ResourceType,
  complete: boolean,
): readonly ResourceType[] {
  if (complete) return types.all.filter(({ verbs }) => verbs.includes('list'));
  const listed = typedLists.flatMap(({ apiVersion, kind }) => types.find(apiVersion, kind) ?? []);
  return [...[...readTypes].map(finalType), ...listed];
}

/** One entry for each kind, in the order of the first mention; everywhere beats some namespaces. */
function mergeRead(entries: readonly ReadKind[]): ReadKind[] {
  const merged = new Map<string, ReadKind>();
  for (const entry of entries) {
    const before = merged.get(entry.resource);
    if (!before) merged.set(entry.resource, entry);
    else if (before.namespaces && entry.namespaces) {
      const namespaces = [...new Set([...before.namespaces, ...entry.namespaces])];
      merged.set(entry.resource, { resource: entry.resource, namespaces });
    } else merged.set(entry.resource, { resource: entry.resource });
  }
  return [...merged.values()];
}

/** Pages without the last page. */
function unfinishedLists(lists: readonly TypedList[]): TypedList[] {
  const key = ({ apiVersion, kind }: TypedList): string => `${apiVersion} ${kind}`;
  const finished = new Set(lists.filter(({ continues }) => !continues).map(key));
  return lists.filter((list) => list.continues && !finished.has(key(list)));
}

function unfinishedList({ kind, place }: TypedList): CoverageProblem {
  const message =
    `${place.path}:${place.line}: the ${kind}List is one page of several ` +
    '(its metadata.continue is set), and the last one is missing';
  return { reason: 'truncated', message, ...place };
}

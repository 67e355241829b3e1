import { usageError } from '../errors.ts';
import { compareText } from '../kube/names.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import { ResourceTypes } from '../kube/resource-types.ts';
import {
  askedOf,
  type Coverage,
  type CoverageProblem,
  discoveryProblem,
  placesRead,
  type ReadKind,
} from '../snapshot/coverage.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { InputContents, TypedList } from './input-contents.ts';
import { giveTypes, type ResolvedKinds } from './kind-table.ts';
import type { SetAside } from './repository.ts';
import { filesApart, mergeSameObjects, severalClusters } from './same-object.ts';
import type { SnapshotHeader } from './saved-snapshot.ts';
import type { ShownKind } from './shown-together.ts';
import { unavailableApis, unlistedKinds } from './unavailable-apis.ts';

export interface SnapshotOptions {
  /** The time of the snapshot where no saved snapshot gives one. */
  readonly now: () => Date;
  /** The input is the whole cluster: a kind without objects in it has none. */
  readonly complete?: boolean;
  /** Called with what lay in folders beside objects, and is no problem. */
  readonly onAside?: (aside: readonly SetAside[]) => void;
  /** Objects that were never applied, of one name in several files: each is kept, as they are not applied together. */
  readonly keepsVariants?: boolean;
  /** Called with what each saved snapshot says of itself. */
  readonly onSavedSnapshot?: (header: SnapshotHeader) => void;
}

/** The snapshot of what all inputs have brought; `paths`: what was read. */
export function snapshotOfContents(
  contents: InputContents,
  paths: readonly string[],
  options: SnapshotOptions,
): Snapshot {
  const { complete = false, onSavedSnapshot, onAside } = options;
  if (onSavedSnapshot) contents.snapshots.forEach(onSavedSnapshot);
  onAside?.(contents.aside);
  const { snapshots, shown, typedLists } = contents;
  const [saved] = snapshots;
  const isAlone = snapshots.length === 1 && shown.length + typedLists.length === 0;
  return saved && isAlone && !complete
    ? savedSnapshot(saved, contents, paths)
    : composedSnapshot(contents, paths, options);
}

/** A saved snapshot by itself says which kinds there are, and what was read. */
function savedSnapshot(
  header: SnapshotHeader,
  { records, problems }: InputContents,
  paths: readonly string[],
): Snapshot {
  const { coverage } = header;
  const read = kindsRead(coverage.read);
  return {
    ...header,
    records,
    coverage: { ...coverage, read, problems: [...coverage.problems, ...problems] },
    origin: { kind: 'files', paths },
  };
}

function composedSnapshot(
  contents: InputContents,
  paths: readonly string[],
  { now, complete = false, keepsVariants = false }: SnapshotOptions,
): Snapshot {
  const kinds = contents.kinds.resolve();
  const read = contents.records;
  giveTypes(read, kinds.finalType);
  const apart = filesApart(read);
  if (apart && !keepsVariants) {
    throw usageError(severalClusters(apart), ['Name the files of one cluster, saved at one time.']);
  }
  const { records, problems } = isOneSnapshot(contents)
    ? { records: read, problems: [] }
    : mergeSameObjects(read, kinds.types.all, keepsVariants, apart);
  // What a saved snapshot says of discovery was read with its objects.
  const down =
    contents.snapshots.length > 0 ? [] : unavailableApis(records, kinds.types, contents.typedLists);
  const isWhole = complete && !contents.lost.has('CustomResourceDefinition');
  const types =
    isWhole || down.length > 0
      ? new ResourceTypes(kinds.types.all, {
          failed: [...kinds.types.failed, ...down],
          exhaustive: kinds.types.exhaustive,
          ...(isWhole && { wholeGroups: definedGroups(records, kinds.types) }),
        })
      : kinds.types;
  const unlisted = contents.snapshots.length > 0 ? [] : unlistedKinds(records);
  const coverage = filesCoverage(contents, kinds, complete);
  const newest = contents.snapshots.toSorted(
    (a, b) => Date.parse(b.observedAt) - Date.parse(a.observedAt),
  )[0];
  return {
    records,
    types,
    coverage: {
      ...coverage,
      read: coverage.read.filter(({ resource }) =>
        unlisted.every((problem) => problem.resource !== resource),
      ),
      problems: [
        ...coverage.problems,
        ...unlisted,
        ...(apart ? [{ reason: 'duplicate-uid' as const, message: severalClusters(apart) }] : []),
        ...problems,
        ...down.map(discoveryProblem),
      ],
    },
    observedAt: newest?.observedAt ?? now().toISOString(),
    ...(newest?.observedFrom !== undefined && { observedFrom: newest.observedFrom }),
    serverVersion: newest?.serverVersion,
    origin: { kind: 'files', paths },
    evidence: savedEvidence(contents),
  };
}

/** Evidence is about one cluster at one moment: of several saved snapshots none speaks for all objects. */
function savedEvidence(contents: InputContents): Snapshot['evidence'] {
  return isOneSnapshot(contents) ? contents.snapshots[0]?.evidence : undefined;
}

/** Each object of a snapshot was shown once when it was read, before it was saved. */
function isOneSnapshot({ hasLooseObjects, snapshots }: InputContents): boolean {
  return snapshots.length === 1 && !hasLooseObjects;
}

/**
 * The groups that CustomResourceDefinitions make, where each of them says what it serves, and no
 * aggregated API server has a version of the group for itself.
 */
function definedGroups(records: readonly ObjectRecord[], types: ResourceTypes): Set<string> {
  const groups = new Set<string>();
  const others = new Set<string>();
  const versions = new Set(types.all.map(({ group, version }) => `${version}.${group}`));
  for (const { type, name } of records.filter(isDefinition)) {
    const group = name.slice(name.indexOf('.') + 1);
    if (type.kind === 'CustomResourceDefinition') {
      (types.versions(name).length > 0 ? groups : others).add(group);
    } else if (!versions.has(name)) others.add(group);
  }
  return new Set([...groups].filter((group) => !others.has(group)));
}

function isDefinition({ type: { kind } }: ObjectRecord): boolean {
  return kind === 'CustomResourceDefinition' || kind === 'APIService';
}

/**
 * What the inputs cover, decided here for every command: the kinds and namespaces that lists and files show, unless a
 * part of them was lost, and what saved snapshots say of themselves. `complete`: all kinds are there.
 */
function filesCoverage(contents: InputContents, kinds: ResolvedKinds, complete: boolean): Coverage {
  const saved = contents.snapshots.map(({ coverage }) => coverage);
  const unfinished = unfinishedLists(contents.typedLists);
  const partial = new Set(unfinished.map(({ kind }) => kind));
  const shown = (complete ? listableKinds(kinds) : shownKinds(contents, kinds))
    .filter(({ type: { kind } }) => !contents.lost.has(kind) && !partial.has(kind))
    .map(({ type, namespaces }) => readKind(groupResourceOf(type), namespaces))
    .sort((a, b) => compareText(a.resource, b.resource));
  return {
    read: kindsRead([...saved.flatMap((coverage) => coverage.read), ...shown]),
    asked: [
      ...saved.flatMap(({ asked }) => asked),
      ...contents.shown.flatMap(({ single }) => (single ? [askedOf(single)] : [])),
    ],
    problems: [
      ...saved.flatMap((coverage) => coverage.problems),
      ...contents.problems,
      ...unfinished.map(unfinishedList),
      ...kinds.problems,
    ],
  };
}

/** Each kind once. */
function kindsRead(read: readonly ReadKind[]): ReadKind[] {
  return [...placesRead(read)].map(([resource, where]) =>
    readKind(resource, where === 'everywhere' ? undefined : where),
  );
}

function readKind(resource: string, namespaces: ReadonlySet<string> | undefined): ReadKind {
  return namespaces ? { resource, namespaces: [...namespaces] } : { resource };
}

function listableKinds({ types }: ResolvedKinds): ShownKind[] {
  const listable = types.all.filter(({ verbs }) => verbs.includes('list'));
  return listable.map((type) => ({ type, namespaces: undefined }));
}

function shownKinds(
  { shown, typedLists }: InputContents,
  { types, finalType }: ResolvedKinds,
): ShownKind[] {
  const byPath = Map.groupBy(shown, ({ path }) => path);
  const besides = new Map<string, ReadonlySet<string>>();
  const empty = typedLists.flatMap((list): ShownKind[] => {
    const type = types.find(list.apiVersion, list.kind);
    if (!type || !list.items.isEmpty) return [];
    const { path } = list.items;
    const beside =
      besides.get(path) ?? new Set(byPath.get(path)?.flatMap((one) => [...one.namespaces]));
    besides.set(path, beside);
    return [emptyKind(list, type, beside)];
  });
  return [...shown.flatMap((together) => together.kinds(finalType)), ...empty];
}

/**
 * An empty list names no namespace: it was made in those of the lists beside it, as in the output of `kubectl
 * cluster-info dump`, or in the one after which a dump names its folder or file.
 */
function emptyKind(
  { pathNames }: TypedList,
  type: ResourceType,
  beside: ReadonlySet<string>,
): ShownKind {
  const named = pathNames.filter((name) => name.replaceAll('-', '') !== type.resource);
  const namespaces = beside.size > 0 ? beside : new Set(named);
  return { type, namespaces: type.namespaced && namespaces.size > 0 ? namespaces : undefined };
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

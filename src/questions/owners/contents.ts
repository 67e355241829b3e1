import { counted, firstOf } from '../../kube/counts-by-kind.ts';
import { compareText } from '../../kube/names.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { apiVersionOf, groupResourceOf, isEventType } from '../../kube/resource-type.ts';
import {
  isCustomResourceDefinition,
  isNamespace,
  isNode,
  isPod,
} from '../../kube/well-known-kinds.ts';
import { type Graph, idOf } from '../../snapshot/graph/graph.ts';
import { dependentsOf } from './subgraph.ts';

/**
 * Objects of a kind in a namespace, on a node or of a definition: no reference says so, and a deletion takes them
 * along. What they own is below them.
 */
export interface ContentsRow {
  /** The id of the namespace, node or definition. */
  readonly container: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  /** Of a namespace only those that nothing in it owns. */
  readonly count: number;
  /** How many objects they own, and so on down. */
  readonly below: number;
  /** In alphabetical order, at most three. */
  readonly names: readonly string[];
}

/** `web-1, web-2, web-3 and 7 more` */
export function contentNames({ names, count }: ContentsRow): string {
  return firstOf(names, names.length, count - names.length);
}

/** The contents of at most this many objects are shown. */
export const mostContainers = 10;

const namesShown = 3;

/**
 * What these objects contain, a row for what is alike: by kind, and of nodes and definitions by namespace. What is
 * one of them has its own tree.
 */
export function contentsOf(graph: Graph, roots: readonly ObjectRecord[]): ContentsRow[] {
  const listed = new Set(roots);
  return roots.slice(0, mostContainers).flatMap((root) => {
    const all = contentOfContainer(graph.snapshot.records, root) ?? [];
    const contained = all.filter((record) => !listed.has(record));
    const shown = isNamespace(root)
      ? contained.filter((record) => !isOwnedIn(graph, record))
      : contained;
    const alike = Map.groupBy(shown, ({ type, namespace }) =>
      [type.kind, groupResourceOf(type), namespace].join(' '),
    );
    return [...alike]
      .sort(([a], [b]) => compareText(a, b))
      .map(([, records]) =>
        contentsRow(graph, idOf(root), records as [ObjectRecord, ...ObjectRecord[]]),
      );
  });
}

function isOwnedIn(graph: Graph, { ownerReferences, namespace }: ObjectRecord): boolean {
  return ownerReferences.some(({ uid }) => graph.withUid(uid)?.namespace === namespace);
}

function contentsRow(
  graph: Graph,
  container: string,
  records: readonly [ObjectRecord, ...ObjectRecord[]],
): ContentsRow {
  const [{ type, namespace }] = records;
  return {
    container,
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    namespace,
    count: records.length,
    below: dependentsOf(graph, records).nodes.size - records.length,
    names: records
      .map(({ name }) => name)
      .sort(compareText)
      .slice(0, namesShown),
  };
}

/** Undefined for what contains nothing by its kind. */
function contentOfContainer(
  records: readonly ObjectRecord[],
  root: ObjectRecord,
): readonly ObjectRecord[] | undefined {
  if (isNamespace(root)) {
    return records.filter(({ namespace, type }) => namespace === root.name && !isEventType(type));
  }
  if (isNode(root)) {
    return records.filter((record) => isPod(record) && knownNodeOf(record) === root.name);
  }
  if (!isCustomResourceDefinition(root)) return undefined;
  return records.filter(({ type }) => groupResourceOf(type) === root.name);
}

/** How many objects it contains by its kind. */
export function containedCount({ snapshot: { records } }: Graph, root: ObjectRecord): number {
  return contentOfContainer(records, root)?.length ?? 0;
}

/** How much of it there is: `Namespace/shop contains 74 objects: …`; undefined for what contains nothing by its kind. */
export function contentsSentence(
  { snapshot: { records } }: Graph,
  root: ObjectRecord,
): string | undefined {
  const contained = contentOfContainer(records, root);
  if (!contained) return undefined;
  const name = `${root.type.kind}/${root.name}`;
  if (contained.length > 0) {
    return `${name} contains ${counted(contained.length, 'object')}; deleting it deletes them.`;
  }
  const isUnread = isNode(root) && records.some((record) => isPod(record) && !record.facts);
  return isUnread ? `Which pods ${name} runs was not read.` : `${name} is empty.`;
}

import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import { namesNamespace } from '../../kube/well-known-kinds.ts';
import type { PageReference } from './page-data.ts';

/** Something that names its owners: a record, or an object of a document. */
interface Owned {
  readonly uid: string;
  readonly ownerReferences: readonly OwnerReference[];
}

/** An owner reference between two objects, by their ids. */
type OwnerEdge = Pick<PageReference, 'owner' | 'dependent'> &
  Pick<OwnerReference, 'controller' | 'blockOwnerDeletion'>;

/** Who owns whom among these objects, as far as it was read, and what namespaces hold; documents do not say it. */
export function ownersAmong(
  objects: readonly ObjectReference[],
  records: readonly ObjectRecord[] = [],
  others: readonly Owned[] = [],
): PageReference[] {
  const ids = new Map(objects.map((object) => [object.uid, objectKey(object)]));
  ids.delete('');
  const references = new Map<string, PageReference>();
  const note = ({ uid, ownerReferences }: Owned) => {
    const dependent = ids.get(uid);
    if (dependent === undefined) return;
    for (const { uid: ownerUid, controller, blockOwnerDeletion } of ownerReferences) {
      const owner = ids.get(ownerUid);
      if (owner === undefined) continue;
      const edge = { owner, dependent, controller, blockOwnerDeletion };
      references.set(`${owner} ${dependent}`, ownerLine(edge, 'solid', 'an owner reference'));
    }
  };
  for (const record of records) note(record);
  for (const other of others) note(other);
  return withLines([...references.values()], inNamespaces(objects));
}

/** The line that an owner reference is. */
export function ownerLine(
  edge: OwnerEdge,
  found: PageReference['class'],
  because: string,
): PageReference {
  const { owner, dependent, controller, blockOwnerDeletion } = edge;
  return {
    ...{ owner, dependent, class: found },
    ...(controller && { controller }),
    ...(blockOwnerDeletion && { blocks: true }),
    because,
  };
}

/** What is in a namespace, where that is among the objects. */
function inNamespaces(objects: readonly ObjectReference[]): PageReference[] {
  const namespaces = new Map(
    objects.flatMap((object) =>
      namesNamespace(object) ? [[object.name, objectKey(object)] as const] : [],
    ),
  );
  return objects.flatMap((object) => {
    const [owner, dependent] = [namespaces.get(object.namespace), objectKey(object)];
    if (owner === undefined) return [];
    return [{ owner, dependent, class: 'contains' as const, because: 'it is in this namespace' }];
  });
}

/** Lines for relations without an owner reference: to objects that have none. */
export function withLines(
  references: readonly PageReference[],
  lines: readonly PageReference[],
): PageReference[] {
  const owned = new Set(references.map(({ dependent }) => dependent));
  return [...references, ...lines.filter(({ dependent }) => !owned.has(dependent))];
}

import type { OwnerReference } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { parseApiVersion } from '../../kube/resource-type.ts';
import { placeKey } from './request-index.ts';

/** A backup that contains an object. */
export interface SavedIn {
  readonly path: string;
  /** RFC 3339. */
  readonly at: string;
  /** Of the object when it was saved. */
  readonly owners: readonly OwnerReference[];
  /** The uid of the deleted object is unknown: another object of its name may have been saved. */
  readonly mightBeAnother?: true;
}

interface SavedEntry extends ObjectReference {
  /** The plural. */
  readonly resource: string;
  readonly ownerReferences: readonly OwnerReference[];
}

/** Where `kubectl gc delete` saved objects. */
export class SavedObjects {
  readonly #byUid = new Map<string, SavedIn>();
  readonly #byName = new Map<string, SavedIn>();

  /** A later backup replaces an earlier one. */
  add(object: SavedEntry, backup: Pick<SavedIn, 'path' | 'at'>): void {
    const saved = { ...backup, owners: object.ownerReferences };
    if (object.uid !== '') this.#byUid.set(object.uid, saved);
    for (const kind of [object.kind, object.resource]) {
      this.#byName.set(nameKey({ ...object, kind }), saved);
    }
  }

  of(object: ObjectReference): SavedIn | undefined {
    if (object.uid !== '') return this.#byUid.get(object.uid);
    const saved = this.#byName.get(nameKey(object));
    return saved && { ...saved, mightBeAnother: true };
  }
}

/** Of a kind that no snapshot serves, `kind` is its resource with its group, and there is no version. */
function nameKey({ apiVersion, kind, namespace, name }: ObjectReference): string {
  const { group = '' } = parseApiVersion(apiVersion) ?? {};
  return placeKey({ resource: group === '' ? kind : `${kind}.${group}`, namespace, name });
}

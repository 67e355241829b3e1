import { parse } from 'yaml';
import type { ObjectRecord, OwnerReference } from '../../src/kube/object-record.ts';
import { objectOfType, ownedBy, ownedByGone, servedTypes } from './builders.ts';
import { rowsOf } from './rows.ts';

/** As YAML has it: `by` and `under` name its owner and its controller among the objects; null is unset. */
interface Changes extends Partial<Omit<ObjectRecord, 'type' | 'name'>> {
  readonly by?: string;
  readonly under?: string;
  readonly deleting?: true;
}

/**
 * Reads the objects of a case by two tables. `objects`: how the cases call an object, its kind and name (`Secret web`,
 * or `Secret bank/web`), and what is to be known of it. `references`: how they call a reference, an object of the first table or one that is nowhere, and
 * what is otherwise of it. A case is `pod {deleting: true} <- gone, live!; live`: objects, what is otherwise of them,
 * and their references, of which those with an exclamation mark block.
 */
export function objectsFrom(objects: string, references?: string) {
  const named = new Map<string, ObjectRecord>();
  const owners = new Map<string, OwnerReference>();
  const changed = (object: ObjectRecord, text = ''): ObjectRecord => {
    const { by, under, deleting, ...given }: Changes = parse(text) ?? {};
    const owner = named.get(by ?? under ?? '');
    const ownerReferences = owner && [ownedBy(owner, under ? { controller: true } : {})];
    const ends = deleting && { deletionTimestamp: '2026-01-02T00:00:00Z' };
    const details = Object.entries(given).map(([field, value]) => [field, value ?? undefined]);
    return {
      ...object,
      ...Object.fromEntries(details),
      ...ends,
      ...(ownerReferences && { ownerReferences }),
    };
  };
  for (const [called = '', what = '', details] of rowsOf(objects)) {
    const [kind = '', name = ''] = what.split(' ');
    const type = servedTypes.all.find((one) => one.kind === kind);
    if (!type) throw new Error(`no ${kind} is served`);
    const [own = '', namespace] = name.split('/').reverse();
    named.set(called, changed(objectOfType(type, own, namespace ? { namespace } : {}), details));
  }
  for (const [called = '', to = '', details = ''] of references ? rowsOf(references) : []) {
    const owner = named.get(to);
    owners.set(called, { ...(owner ? ownedBy(owner) : ownedByGone(to)), ...parse(details) });
  }
  const referenceOf = (text: string): OwnerReference => {
    const reference = owners.get(text.replace('!', ''));
    if (!reference) throw new Error(`there is no reference ${text}`);
    return text.endsWith('!') ? { ...reference, blockOwnerDeletion: true } : reference;
  };
  const objectOf = (text: string): ObjectRecord => {
    const [said = '', to] = text.trim().split(' <- ');
    const [called = '', ...changes] = said.split(' ');
    const object = named.get(called);
    if (!object) throw new Error(`there is no ${called}`);
    const ownerReferences = to?.split(', ').map(referenceOf);
    return { ...changed(object, changes.join(' ')), ...(ownerReferences && { ownerReferences }) };
  };
  return (there: string) => (there === '' ? [] : there.split(';').map(objectOf));
}

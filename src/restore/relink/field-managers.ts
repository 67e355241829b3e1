import { fieldManager } from '../../cluster/write/write-request.ts';
import { fieldsListOf, fieldsOf, type Json, jsonOf, textOf } from '../../kube/json-value.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import type { SavedObject } from '../backup/saved-object.ts';

/** The only manager of an object's fields, where it has updated them: an object that it creates has it again. */
export function soleManager(saved: readonly Json[] = []): string | undefined {
  const [first, ...others] = saved.filter(({ subresource }) => !subresource);
  return others.length === 0 && first?.operation === 'Update' ? textOf(first.manager) : undefined;
}

export interface SavedManagers {
  readonly managers: readonly Json[];
  /** Were the fields of its status restored? */
  readonly hasStatus: boolean;
  /** By the uid that was saved, the uid of each owner that it has now. */
  readonly owners: ReadonlyMap<string, string>;
}

/** Has an earlier run created it, without giving it the field managers that it had? `live` has the saved content. */
export function hasForeignManagers(
  { fieldManagers, ownerReferences }: SavedObject,
  live: KubeObject,
): boolean {
  if (fieldManagers === undefined) return false;
  const own = ofSpec(fieldManagers);
  const now = ofSpec(fieldsListOf(live.metadata.managedFields));
  const isOurs = ({ manager }: Json) => manager === fieldManager;
  if (now.some(isOurs) && !own.some(isOurs)) return true;
  const creator = soleManager(own);
  // Its controller goes on writing it.
  if (ownerReferences.some(({ controller }) => controller === true)) return false;
  const isByCreator = now.length === 1 && creator !== undefined && soleManager(now) === creator;
  const [before, after] = [own, now].map((all) =>
    comparable(all.map((one) => ({ fieldsV1: withOwners(fieldsOf(one.fieldsV1), new Map()) }))),
  );
  return isByCreator && JSON.stringify(before) !== JSON.stringify(after);
}

function ofSpec(managers: readonly Json[]): readonly Json[] {
  return managers.filter(({ subresource }) => !subresource);
}

/** In any order, whenever it was. */
export function comparable(managers: readonly Json[]): string[] {
  return managers.map(({ time: _, ...entry }) => JSON.stringify(entry)).sort();
}

/** The saved managers, and those that have written to the new object since. */
export function managersOf(
  { managers, hasStatus, owners }: SavedManagers,
  live: readonly Json[],
): Json[] {
  const back = managers
    .filter(({ subresource }) => !subresource || hasStatus)
    .map((entry) => ({ ...entry, fieldsV1: withOwners(fieldsOf(entry.fieldsV1), owners) }));
  const isBack = ({ manager, subresource }: Json) =>
    back.some((one: Json) => one.manager === manager && one.subresource === subresource);
  return [...back, ...live.filter((one) => one.manager !== fieldManager && !isBack(one))];
}

/** Owner references are managed by the uids of owners: `k:{"uid":"…"}`. */
function withOwners(fields: Json, owners: ReadonlyMap<string, string>): Json {
  const metadata = fieldsOf(fields['f:metadata']);
  const references = jsonOf(metadata['f:ownerReferences']);
  if (!references) return fields;
  const kept = Object.entries(references).flatMap(([key, value]): [string, unknown][] => {
    const uid = /^k:\{"uid":"(.*)"\}$/.exec(key)?.[1];
    if (uid === undefined) return [[key, value]];
    const now = owners.get(uid);
    return now === undefined ? [] : [[`k:{"uid":"${now}"}`, value]];
  });
  return {
    ...fields,
    'f:metadata': { ...metadata, 'f:ownerReferences': Object.fromEntries(kept) },
  };
}

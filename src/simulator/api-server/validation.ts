import { noTaints, taintEffects } from '../../kube/facts/node.ts';
import { labelValueFaults, qualifiedNameFaults } from '../../kube/names.ts';
import {
  FOREGROUND,
  type ObjectRecord,
  ORPHAN,
  type OwnerReference,
} from '../../kube/object-record.ts';
import { parseApiVersion } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { isNode, namespaceFinalizer } from '../../kube/well-known-kinds.ts';

const standardFinalizers: ReadonlySet<string> = new Set([ORPHAN, FOREGROUND, namespaceFinalizer]);

/** Built-in groups with the validation of custom resources, which takes names without a domain. */
const groupsWithBareFinalizers: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
]);

/** Faults that keep the API server from storing a new object (GC-67), in its words and its order. */
export function validateNew(record: ObjectRecord): string[] {
  return [...validateMetadata(record), ...bareFinalizers(record)];
}

const immutableFields = ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/** The same for a changed object. Mirrors validateCommonFields of BeforeUpdate. */
export function validateUpdate(before: ObjectRecord, after: ObjectRecord): string[] {
  const faults = validateMetadata(after);
  const added = after.finalizers.filter((finalizer) => !before.finalizers.includes(finalizer));
  if (before.deletionTimestamp !== undefined && added.length > 0) {
    const list = [...new Set(added)].sort().map((finalizer) => JSON.stringify(finalizer));
    faults.push(
      `metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list.join(', ')}}`,
    );
  }
  for (const field of immutableFields) {
    if (before[field] !== after[field]) {
      faults.push(invalid(field, 'field is immutable', after[field] ?? null));
    }
  }
  return [...faults, ...bareFinalizers(after)];
}

/** Mirrors ValidateOwnerReferences and ValidateFinalizers. */
function validateMetadata({ ownerReferences, finalizers }: ObjectRecord): string[] {
  const faults: string[] = [];
  let controller: OwnerReference | undefined;
  for (const reference of ownerReferences) {
    faults.push(...validateReference(reference));
    if (reference.controller !== true) continue;
    if (controller) {
      const why = `Only one reference can have Controller set to true. Found "true" in references for ${controller.kind}/${controller.name} and ${reference.kind}/${reference.name}`;
      faults.push(invalid('ownerReferences', why, ownerReferences));
    } else controller = reference;
  }
  for (const name of finalizers) {
    for (const why of qualifiedNameFaults(name)) faults.push(invalid('finalizers', why, name));
  }
  if (finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)) {
    const why = `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`;
    faults.push(invalid('finalizers', why, finalizers));
  }
  return faults;
}

/** Mirrors validateKubeFinalizerName. */
function bareFinalizers({ type, finalizers }: ObjectRecord): string[] {
  if (!isBuiltInGroup(type.group) || groupsWithBareFinalizers.has(type.group)) return [];
  return finalizers.flatMap((name, at) =>
    name.includes('/') || standardFinalizers.has(name)
      ? []
      : [
          invalid(
            `finalizers[${at}]`,
            'name is neither a standard finalizer name nor is it fully qualified',
            name,
          ),
        ],
  );
}

function validateReference(reference: OwnerReference): string[] {
  const { apiVersion, kind } = reference;
  const field = 'ownerReferences';
  const faults: string[] = [];
  if (!parseApiVersion(apiVersion)?.version) {
    faults.push(invalid(`${field}.apiVersion`, 'version must not be empty', apiVersion));
  }
  for (const part of ['kind', 'name', 'uid'] as const) {
    if (reference[part] === '') faults.push(invalid(`${field}.${part}`, 'must not be empty', ''));
  }
  if (apiVersion === 'v1' && kind === 'Event') {
    faults.push(invalid(field, '/v1, Kind=Event is disallowed from being an owner', reference));
  }
  return faults;
}

/** metav1.Status's words for a wrong value of a field of metadata. */
function invalid(field: string, why: string, value: unknown): string {
  return `metadata.${field}: Invalid value: ${JSON.stringify(value)}: ${why}`;
}

/** The message of an object that has these faults; undefined when there are none. */
export function spellFaults({ type, name }: ObjectRecord, faults: readonly string[]) {
  if (faults.length === 0) return undefined;
  const different = [...new Set(faults)];
  const subject = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  const list = different.length === 1 ? different[0] : `[${different.join(', ')}]`;
  return `${subject} "${name}" is invalid: ${list}`;
}

/**
 * Faults for which the API server refuses a Node's taints, in its words. Mirrors validateNodeTaints,
 * which looks for them under metadata.
 */
export function validateTaints(record: ObjectRecord): string[] {
  if (!isNode(record)) return [];
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const [index, taint] of (record.facts?.taints ?? noTaints).entries()) {
    const { key, value = '', effect, timeAdded = null } = taint;
    const field = `taints[${index}]`;
    for (const why of qualifiedNameFaults(key)) faults.push(invalid(`${field}.key`, why, key));
    const why = labelValueFaults(value).join(';');
    if (why !== '') faults.push(invalid(`${field}.value`, why, value));
    if (effect === '') faults.push(`metadata.${field}.effect: Required value`);
    else if (!taintEffects.includes(effect)) {
      const supported = taintEffects.map((known) => JSON.stringify(known)).join(', ');
      const unsupported = `Unsupported value: ${JSON.stringify(effect)}: supported values: ${supported}`;
      faults.push(`metadata.${field}.effect: ${unsupported}`);
    }
    const pair = `${key}:${effect}`;
    if (seen.has(pair)) {
      const given = { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded };
      const unique = 'taints must be unique by key and effect pair';
      faults.push(`metadata.${field}: Duplicate value: ${JSON.stringify(given)}: ${unique}`);
    }
    seen.add(pair);
  }
  return faults;
}

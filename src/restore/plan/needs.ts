import { jsonOf, textOrEmpty } from '../../kube/json-value.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import { type Need, type NeedRole, needsOfPods } from '../kinds/manifest-needs.ts';
import { restoredKind } from '../kinds/restored-kinds.ts';
import type { OwnerLookup } from '../relink/relink.ts';

/** What an object needs, each once: its owners aside, which `OwnerLookup` finds. */
export function needsOf(saved: SavedObject, lookup: OwnerLookup): readonly Need[] {
  const containers = [
    namespaceLocation(saved, lookup),
    lookup.isServed(saved.type) ? undefined : definitionOf(saved, lookup),
  ];
  const needs = containers.flatMap((at): Need[] => (at ? [{ at, role: 'container' }] : []));
  const { manifest } = saved;
  const named = manifest
    ? [...(restoredKind(saved.type).needed?.(manifest) ?? []), ...needsOfPods(manifest)]
    : [];
  for (const { role, apiVersion, kind, name, namespace = saved.namespace } of named) {
    const type = lookup.typeOf(apiVersion, kind);
    if (type) needs.push({ at: { type, namespace: type.namespaced ? namespace : '', name }, role });
  }
  // The first mention of an object is kept where none needs it more.
  const byKey = Map.groupBy(needs, ({ at }) => locationKey(at));
  return [...byKey.values()].map((same) => same.toSorted(byRole)[0] as Need);
}

const roles: readonly NeedRole[] = ['container', 'account', 'data', 'start', 'use'];

const byRole = (a: Need, b: Need) => roles.indexOf(a.role) - roles.indexOf(b.role);

export function namespaceLocation(
  { namespace }: ObjectLocation,
  lookup: OwnerLookup,
): ObjectLocation | undefined {
  const type = lookup.typeOf('v1', 'Namespace');
  return namespace === '' || !type ? undefined : { type, namespace: '', name: namespace };
}

/** The CustomResourceDefinition that serves the object's kind, whether there is one or not. */
export function definitionOf(
  { type: { resource, group } }: ObjectLocation,
  lookup: OwnerLookup,
): ObjectLocation | undefined {
  const type = lookup.typeOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  return type && { type, namespace: '', name: `${resource}.${group}` };
}

/** The claim that a PersistentVolume was bound to. */
export function boundClaim(saved: SavedObject, lookup: OwnerLookup): ObjectLocation | undefined {
  if (groupResourceOf(saved.type) !== 'persistentvolumes') return undefined;
  const claimRef = jsonOf(jsonOf(saved.manifest?.spec)?.claimRef);
  const type = lookup.typeOf('v1', 'PersistentVolumeClaim');
  if (!claimRef || !type) return undefined;
  return { type, namespace: textOrEmpty(claimRef.namespace), name: textOrEmpty(claimRef.name) };
}

/** The volume that a PersistentVolumeClaim was bound to. */
export function volumeOf(saved: SavedObject, lookup: OwnerLookup): ObjectLocation | undefined {
  if (groupResourceOf(saved.type) !== 'persistentvolumeclaims') return undefined;
  const name = jsonOf(saved.manifest?.spec)?.volumeName;
  const type = lookup.typeOf('v1', 'PersistentVolume');
  return type && typeof name === 'string' && name !== ''
    ? { type, namespace: '', name }
    : undefined;
}

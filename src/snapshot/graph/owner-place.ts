import { leadsElsewhere, notAName } from '../../kube/names.ts';
import type { OwnerReference } from '../../kube/object-record.ts';
import { inWords } from '../../kube/object-reference.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { KindMapping, ResourceTypes } from '../../kube/resource-types.ts';

/** The object whose reference is followed. */
export interface Dependent {
  /** Its kind may be left out where no message names it. */
  readonly type: { readonly kind?: string; readonly namespaced: boolean };
  readonly namespace: string;
}

/** Where a GET can find the owner. */
export interface GettablePlace {
  readonly end: 'at';
  readonly type: ResourceType;
  /** Empty for an owner that is cluster-scoped. */
  readonly namespace: string;
}

/**
 * Why no GET finds the owner. frozen: the garbage collector asks for nothing, and never decides; gone: every
 * answer is 404; unknown: where the garbage collector looks is not known.
 */
export type NoPlace = {
  /** Rule of docs/collectors/garbage-collector.md that decides. */
  readonly rule: string;
  readonly because: string;
} & (
  | {
      readonly end: 'frozen';
      readonly outcome: 'unserved-kind' | 'unserved-version' | 'namespaced-owner-of-cluster-object';
    }
  | {
      readonly end: 'gone';
      readonly outcome: 'list-kind' | 'not-gettable';
      readonly namespaced: boolean;
    }
  | { readonly end: 'unknown'; readonly outcome: 'unknown-kind' | 'not-a-name' }
);

export type OwnerPlace = GettablePlace | NoPlace;

type Named = Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'>;

/**
 * Where the garbage collector looks for the owner that a reference names: by the reference's own version and
 * kind, and no other one, in the dependent's namespace. Mirrors apiResource and getObject,
 * pkg/controller/garbagecollector/operations.go (GC-27, GC-29, GC-30, GC-45).
 */
export function ownerPlaceOf(
  types: ResourceTypes,
  dependent: Dependent,
  reference: Named,
): OwnerPlace {
  const { apiVersion, kind } = reference;
  const mapping = types.mapKind(apiVersion, kind);
  if (mapping.kind === 'unknown') {
    const { because } = mapping;
    return { end: 'unknown', outcome: 'unknown-kind', rule: 'GC-29', because };
  }
  if (mapping.kind === 'unserved') return unserved(mapping, reference);
  if (mapping.kind === 'served') return ownerPlaceIn(mapping.type, dependent, reference);
  const { namespaced } = mapping;
  if (namespaced && !dependent.type.namespaced) return inNoNamespace(dependent, reference);
  const because = `${kind} is a list, and a GET of one finds nothing`;
  return { end: 'gone', outcome: 'list-kind', rule: 'GC-29', namespaced, because };
}

/** The same for a kind that the reference's version and kind map to. */
export function ownerPlaceIn(
  type: ResourceType,
  dependent: Dependent,
  reference: Named,
): OwnerPlace {
  const { kind, name } = reference;
  const { namespaced } = type;
  if (namespaced && !dependent.type.namespaced) return inNoNamespace(dependent, reference);
  if (!type.verbs.includes('get')) {
    const because = `${kind} objects cannot be read back, so none is ever found`;
    return { end: 'gone', outcome: 'not-gettable', rule: 'GC-29', namespaced, because };
  }
  if (leadsElsewhere(name)) {
    const because = notAName(kind, name);
    return { end: 'unknown', outcome: 'not-a-name', rule: 'GC-27', because };
  }
  return { end: 'at', type, namespace: namespaced ? dependent.namespace : '' };
}

function unserved(
  { otherVersions }: Extract<KindMapping, { kind: 'unserved' }>,
  { apiVersion, kind }: Named,
): NoPlace {
  if (otherVersions.length === 0) {
    const because = `no API serves ${apiVersion} ${kind}`;
    return { end: 'frozen', outcome: 'unserved-kind', rule: 'GC-30', because };
  }
  const served = otherVersions.map(({ version }) => version).join(', ');
  const because = `${apiVersion} does not serve ${kind}; ${served} of its group does, and the garbage collector never tries another version`;
  return { end: 'frozen', outcome: 'unserved-version', rule: 'GC-30', because };
}

function inNoNamespace({ type }: Dependent, { kind, name }: Named): NoPlace {
  return {
    end: 'frozen',
    outcome: 'namespaced-owner-of-cluster-object',
    rule: 'GC-45',
    because: `${type.kind ?? 'what names it'} is cluster-scoped, so no namespace is known for ${kind} ${name}`,
  };
}

type OwnerName = Pick<OwnerReference, 'kind' | 'name'>;

/** Why an owner counts as gone where nothing is: the same words in a judgement and in a simulation. */
export function nothingThere(owner: OwnerName, namespace: string): string {
  return `no ${ownerAt(owner, namespace)}`;
}

/** Why an owner counts as gone where another object has its name. */
export function otherUidThere(owner: OwnerName, namespace: string): string {
  return `the ${ownerAt(owner, namespace)} has another uid`;
}

/** Why an owner counts as gone whose uid another object has, where it could not be read what has its name. */
export function uidElsewhere(owner: OwnerName, namespace: string): string {
  return `the object with that uid is not the ${ownerAt(owner, namespace)}`;
}

function ownerAt({ kind, name }: OwnerName, namespace: string): string {
  return inWords({ kind, name, namespace });
}

import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownVolumesOf } from '../../kube/pod-use.ts';
import { groupResourceOf, isDeletable, type ResourceType } from '../../kube/resource-type.ts';
import { isBuiltInGroup, type ResourceTypes } from '../../kube/resource-types.ts';
import {
  isCustomResourceDefinition,
  isNamespace,
  isPod,
  leases,
  nodeLeases,
} from '../../kube/well-known-kinds.ts';
import { type CoverageProblem, coverageIndexOf, notAll } from '../coverage.ts';
import type { Snapshot } from '../snapshot.ts';

/** The kinds whose objects Kubernetes makes with an owner reference to an object of that kind. */
const owned: Readonly<Record<string, readonly string[]>> = {
  'cronjobs.batch': ['jobs.batch'],
  'daemonsets.apps': ['pods', 'controllerrevisions.apps'],
  'deployments.apps': ['replicasets.apps'],
  endpoints: ['endpointslices.discovery.k8s.io'],
  'jobs.batch': ['pods'],
  nodes: ['pods', leases, 'csinodes.storage.k8s.io'],
  'replicasets.apps': ['pods'],
  replicationcontrollers: ['pods'],
  services: ['endpointslices.discovery.k8s.io'],
  'statefulsets.apps': ['pods', 'controllerrevisions.apps'],
};

/** The kinds whose objects a controller deletes after it, without an owner reference. */
const deletedAfter: Readonly<Record<string, readonly string[]>> = {
  serviceaccounts: ['secrets'],
  services: ['endpoints'],
};

/** The kinds that objects with these facts own besides. */
function ownedByFacts(owner: ObjectRecord): readonly string[] {
  const { facts, type } = owner;
  if (groupResourceOf(type) === 'statefulsets.apps') {
    const isDeleted = facts?.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete';
    return isDeleted ? ['persistentvolumeclaims'] : [];
  }
  if (!isPod(owner)) return [];
  return knownVolumesOf(owner).some(({ ephemeral }) => ephemeral) ? ['persistentvolumeclaims'] : [];
}

/** The kinds that a namespace or a definition may hold; none for anything else. */
export function contentKindsOf(
  types: ResourceTypes,
  container: ObjectRecord,
): readonly ResourceType[] {
  const kinds = isNamespace(container)
    ? types.preferred().filter(({ namespaced }) => namespaced)
    : isCustomResourceDefinition(container)
      ? types.versions(container.name).slice(0, 1)
      : [];
  return kinds.filter(isDeletable);
}

/**
 * The kinds that files do not hold, and that may hold dependents of these objects. What Kubernetes makes
 * for its own kinds is known; what an operator makes for a custom resource may be of any kind. With
 * `follows`, for what is deleted: of any kind, and also what is deleted after an owner without being its dependent.
 */
export function kindsNotInInput(
  { origin, types, coverage, records }: Snapshot,
  owners: readonly ObjectRecord[],
  follows: boolean,
): CoverageProblem[] {
  if (origin.kind !== 'files') return [];
  const index = coverageIndexOf(coverage);
  const told = new Set(coverage.problems.map(({ resource }) => resource));
  const problems: CoverageProblem[] = [];
  const looked = new Set<string>();
  let shown: ReadonlySet<string> | undefined;
  const isShown = (resource: string): boolean => {
    shown ??= new Set(records.map(({ type }) => groupResourceOf(type)));
    return shown.has(resource);
  };
  const look = (type: ResourceType, namespace: string, owner: ObjectRecord): void => {
    const resource = groupResourceOf(type);
    const place = `${resource} ${namespace}`;
    if (looked.has(place)) return;
    looked.add(place);
    if (index.coversKind(type, namespace)) return;
    if (!told.has(resource)) problems.push(notInInput(resource, owner, isShown(resource)));
    told.add(resource);
    for (const next of followersOf(resource)) look(next, namespace, owner);
  };
  const followersOf = (resource: string): readonly ResourceType[] =>
    [...(owned[resource] ?? []), ...((follows && deletedAfter[resource]) || [])].flatMap(firstOf);
  const firstOf = (resource: string): readonly ResourceType[] =>
    types.versions(resource).slice(0, 1);
  const anyKind = new Set<string>();
  for (const owner of owners) {
    const { type, namespace } = owner;
    const resource = groupResourceOf(type);
    const kinds = [...followersOf(resource), ...ownedByFacts(owner).flatMap(firstOf)];
    for (const kind of kinds) {
      // Kubelets keep their Leases in one namespace.
      const isNodeLease = namespace === '' && groupResourceOf(kind) === leases;
      look(kind, isNodeLease ? nodeLeases : namespace, owner);
    }
    const content = follows ? contentKindsOf(types, owner) : [];
    const home = isNamespace(owner) ? owner.name : '';
    for (const kind of content) look(kind, home, owner);
    // What is deleted may own objects of any kind: operators name Pods and ConfigMaps as owners, too.
    const isOwner = isBuiltInGroup(type.group) ? follows && content.length === 0 : true;
    if (!isOwner || anyKind.has(namespace)) continue;
    anyKind.add(namespace);
    for (const kind of types.monitored()) {
      if (kind.namespaced || !type.namespaced) look(kind, namespace, owner);
    }
  }
  return problems;
}

function notInInput(
  resource: string,
  { type, name }: ObjectRecord,
  isShown: boolean,
): CoverageProblem {
  const message = isShown
    ? `${notAll}${resource}, and ${type.kind} ${name} may have others`
    : `the input has no ${resource}, and ${type.kind} ${name} may have some`;
  return { reason: 'not-in-input', message, resource };
}

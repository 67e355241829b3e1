import type { ObjectRecord } from '../kube/object-record.ts';
import { fullNameOf, type ObjectLocation, type ObjectReference } from '../kube/object-reference.ts';
import { parseApiVersion } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import { application, appliedByArgo } from './argo.ts';
import { cluster, clusterMarkOf } from './cluster-api.ts';
import { appliedByClaim, claimFinalizer, claimMarkOf, crossplaneClaim } from './crossplane.ts';
import { appliedByFlux, helmRelease, kustomization } from './flux.ts';
import { appliedByHelm } from './helm.ts';
import {
  appliedByKro,
  appliedInApplySet,
  applySetMarkOf,
  kroFinalizer,
  kroInstance,
} from './kro.ts';
import {
  appliedByOlm,
  clusterServiceVersion,
  operatorGroup,
  operatorMarksOf,
  subscription,
} from './olm.ts';
import {
  type AppliedBy,
  type Entry,
  entryKey,
  type Inventory,
  type KindTool,
  type Tool,
} from './tool.ts';

const tools: ReadonlyMap<string, KindTool> = new Map(
  [
    kustomization,
    helmRelease,
    application,
    clusterServiceVersion,
    subscription,
    operatorGroup,
    cluster,
  ].map((tool) => [tool.kind, tool]),
);

/** Tools whose objects are of the users' own kinds. */
const byFinalizer: ReadonlyMap<string, Tool> = new Map([
  [kroFinalizer, kroInstance],
  [claimFinalizer, crossplaneClaim],
]);

export function toolOf({ type, finalizers }: ObjectRecord): Tool | undefined {
  return toolWith(type.group, type.kind, finalizers);
}

/** Is an object of this kind, or with these finalizers, one of a tool? */
export function isTool(
  { apiVersion, kind }: Pick<ObjectReference, 'apiVersion' | 'kind'>,
  finalizers: readonly string[] = [],
): boolean {
  const group = parseApiVersion(apiVersion)?.group ?? '';
  return toolWith(group, kind, finalizers) !== undefined;
}

function toolWith(group: string, kind: string, finalizers: readonly string[]): Tool | undefined {
  const own = tools.get(kind);
  if (own?.group === group) return own;
  for (const finalizer of finalizers) {
    const tool = byFinalizer.get(finalizer);
    if (tool) return tool;
  }
  return undefined;
}

/** Of Argo CD. */
export const usualNamespace = 'argocd';

/** Where the object of a tool may be: an Application without a namespace is in the namespace of most installations. */
export function placesOf(
  { group, kind, namespace, name }: Entry,
  types: ResourceTypes,
): ObjectLocation[] {
  const type = types.ofKind(group, kind);
  return type
    ? [{ type, namespace: type.namespaced ? namespace || usualNamespace : '', name }]
    : [];
}

/** `Flux Kustomization flux-system/apps`. */
export function nameOfTool(record: ObjectRecord): string {
  const { namespace, name, type } = record;
  return fullNameOf({ kind: toolOf(record)?.title ?? type.kind, namespace, name });
}

/** `applied`: what the tool did with the objects of its inventory. */
export function verbOfTool(record: ObjectRecord): string {
  return toolOf(record)?.verb ?? 'applied';
}

/** What the object of a tool says that it applied; `unknown` where that was not read, or is of a version that is not known. */
export function inventoryOf(record: ObjectRecord): Inventory | 'unknown' | undefined {
  const tool = toolOf(record);
  if (!tool) return undefined;
  const { versions, isKnownByMetadata } = tool;
  const isRead = isKnownByMetadata || record.facts !== undefined;
  const isKnown = !versions || (isRead && versions.includes(record.type.version));
  return isKnown ? { ...defaultInventory, ...tool.inventoryOf(record) } : 'unknown';
}

/** The default of tools: delete everything that they applied here, and recreate nothing. */
const defaultInventory: Inventory = {
  entries: [],
  matchBy: 'either',
  keepReason: () => undefined,
  finalizer: undefined,
  keepsAllBecause: '',
  policy: 'Background',
  cluster: undefined,
  recreates: () => undefined,
};

/** The tool that an object says it was applied by; undefined without a mark. */
export function appliedBy(record: ObjectRecord): AppliedBy | undefined {
  return (
    appliedByFlux(record) ??
    appliedByArgo(record) ??
    appliedByKro(record) ??
    appliedByClaim(record) ??
    appliedByOlm(record) ??
    appliedByHelm(record) ??
    appliedInApplySet(record)
  );
}

/** By what an object says whose it is: the place of a tool's object, its ApplySet, its claim, its operator or its Cluster. */
export function marksOf(record: ObjectRecord): readonly string[] {
  const by = appliedBy(record)?.by;
  const marks = [
    by && entryKey(by),
    applySetMarkOf(record),
    claimMarkOf(record),
    clusterMarkOf(record),
  ];
  return [...marks.filter((mark) => mark !== undefined), ...operatorMarksOf(record)];
}

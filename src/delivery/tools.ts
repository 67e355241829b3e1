import type { ObjectRecord } from '../kube/object-record.ts';
import type { ObjectLocation, ObjectReference } from '../kube/object-reference.ts';
import { parseApiVersion } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import { application, appliedByArgo } from './argo.ts';
import { appliedByClaim, claimFinalizer, claimMarkOf, crossplaneClaim } from './crossplane.ts';
import { appliedByFlux, helmRelease, kustomization } from './flux.ts';
import { appliedByKro, applySetMark, kroFinalizer, kroInstance } from './kro.ts';
import type { AppliedBy, Entry, Inventory, KindTool, Tool } from './tool.ts';

const tools: ReadonlyMap<string, KindTool> = new Map(
  [kustomization, helmRelease, application].map((tool) => [`${tool.group} ${tool.kind}`, tool]),
);

/** Tools whose objects are of the users' own kinds. */
const byFinalizer: ReadonlyMap<string, Tool> = new Map([
  [kroFinalizer, kroInstance],
  [claimFinalizer, crossplaneClaim],
]);

/** The tool whose object this is. */
export function toolOf({ type, finalizers }: ObjectRecord): Tool | undefined {
  const own = tools.get(`${type.group} ${type.kind}`);
  if (own || finalizers.length === 0) return own;
  const finalizer = finalizers.find((one) => byFinalizer.has(one));
  return finalizer === undefined ? undefined : byFinalizer.get(finalizer);
}

/** Is an object of this kind, or with these finalizers, one of a tool? */
export function isTool(
  { apiVersion, kind }: Pick<ObjectReference, 'apiVersion' | 'kind'>,
  finalizers: readonly string[] = [],
): boolean {
  const isOfKind = tools.has(`${parseApiVersion(apiVersion)?.group} ${kind}`);
  return isOfKind || finalizers.some((one) => byFinalizer.has(one));
}

/** Where the object of a tool may be: of an Application whose namespace is not told, in that of most installations. */
export function placesOf(
  { group, kind, namespace, name }: Entry,
  types: ResourceTypes,
): ObjectLocation[] {
  const type = types.ofKind(group, kind);
  return type ? [{ type, namespace: type.namespaced ? namespace || 'argocd' : '', name }] : [];
}

/** `Flux Kustomization flux-system/apps`. */
export function nameOfTool(record: ObjectRecord): string {
  const { namespace, name, type } = record;
  return `${toolOf(record)?.title ?? type.kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** What the object of a tool says that it applied; `unknown` where that was not read, or is of a version that is not known. */
export function inventoryOf(record: ObjectRecord): Inventory | 'unknown' | undefined {
  const tool = toolOf(record);
  if (!tool) return undefined;
  const { versions } = tool;
  const isKnown = !versions || (record.facts && versions.includes(record.type.version));
  return isKnown ? tool.inventoryOf(record) : 'unknown';
}

/** The tool that an object says it was applied by; undefined without a mark. */
export function appliedBy(record: ObjectRecord): AppliedBy | undefined {
  return (
    appliedByFlux(record) ??
    appliedByArgo(record) ??
    appliedByKro(record) ??
    appliedByClaim(record) ??
    appliedByHelm(record)
  );
}

/** By what an object says whose it is: the place of a tool's object, its ApplySet, or its claim. */
export function marksOf(record: ObjectRecord): readonly string[] {
  const by = appliedBy(record)?.by;
  const applySet = record.labels?.['applyset.kubernetes.io/part-of'];
  const claim = claimMarkOf(record);
  return [
    ...(by ? [placeKey(by)] : []),
    ...(applySet === undefined ? [] : [applySetMark(applySet)]),
    ...(claim === undefined ? [] : [claim]),
  ];
}

/** Tells the place of an object, whatever its version. */
export function placeKey({ group, kind, namespace, name }: Entry): string {
  return `${group} ${kind} ${namespace}/${name}`;
}

function appliedByHelm({ annotations }: ObjectRecord): AppliedBy | undefined {
  const release = annotations?.['meta.helm.sh/release-name'];
  if (release === undefined) return undefined;
  const namespace = annotations?.['meta.helm.sh/release-namespace'] ?? '';
  return { who: `Helm release ${namespace}/${release}`, by: undefined };
}

import type { ObjectRecord } from '../kube/object-record.ts';
import type { ObjectLocation, ObjectReference } from '../kube/object-reference.ts';
import { parseApiVersion } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import { application, appliedByArgo } from './argo.ts';
import { appliedByFlux, helmRelease, kustomization } from './flux.ts';
import type { AppliedBy, Entry, Inventory, Tool } from './tool.ts';

const tools: ReadonlyMap<string, Tool> = new Map(
  [kustomization, helmRelease, application].map((tool) => [`${tool.group} ${tool.kind}`, tool]),
);

/** The tool whose object this is. */
export function toolOf({ type }: ObjectRecord): Tool | undefined {
  return tools.get(`${type.group} ${type.kind}`);
}

/** Where the object of a tool may be: of an Application whose namespace is not told, in that of most installations. */
export function placesOf(
  { group, kind, namespace, name }: Entry,
  types: ResourceTypes,
): ObjectLocation[] {
  const type = types.preferred().find((one) => one.group === group && one.kind === kind);
  return type ? [{ type, namespace: namespace || 'argocd', name }] : [];
}

/** The same, of an object of which no more than its kind is known. */
export function isTool({
  apiVersion,
  kind,
}: Pick<ObjectReference, 'apiVersion' | 'kind'>): boolean {
  return tools.has(`${parseApiVersion(apiVersion)?.group} ${kind}`);
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
  const isKnown = record.facts !== undefined && tool.versions.includes(record.type.version);
  return isKnown ? tool.inventoryOf(record) : 'unknown';
}

/** The tool that an object says it was applied by; undefined without a mark. */
export function appliedBy(record: ObjectRecord): AppliedBy | undefined {
  return appliedByFlux(record) ?? appliedByArgo(record) ?? appliedByHelm(record);
}

function appliedByHelm({ annotations }: ObjectRecord): AppliedBy | undefined {
  const release = annotations?.['meta.helm.sh/release-name'];
  if (release === undefined) return undefined;
  const namespace = annotations?.['meta.helm.sh/release-namespace'] ?? '';
  return { who: `Helm release ${namespace}/${release}`, by: undefined };
}

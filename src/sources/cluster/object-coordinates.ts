import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';

/** Where an object is, or would be. */
export interface ObjectCoordinates {
  readonly type: ResourceType;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** The same for every version of a kind: whatever the version, it is one object. */
export function coordinatesKey({ type, namespace, name }: ObjectCoordinates): string {
  return `${groupResourceOf(type)} ${namespace} ${name}`;
}

import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { resourcePath } from '../resource-request.ts';

/** What is listed and watched together: one kind in one namespace, everywhere, or one object of it. */
export interface WatchTarget {
  readonly type: ResourceType;
  /** Undefined: cluster-scoped, or all namespaces. */
  readonly namespace: string | undefined;
  /** Undefined: all objects. */
  readonly name?: string | undefined;
}

/** Path and query, with the parameters given. */
export function watchPath(
  { type, namespace, name }: WatchTarget,
  parameters: readonly string[],
): string {
  const all =
    name === undefined
      ? parameters
      : [`fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`, ...parameters];
  return resourcePath(type, namespace) + (all.length > 0 ? `?${all.join('&')}` : '');
}

/** `pods in shop`, `pods`, `namespaces/shop`: for messages. */
export function watchedName({ type, namespace, name }: WatchTarget): string {
  const resource = groupResourceOf(type) + (name === undefined ? '' : `/${name}`);
  return namespace ? `${resource} in ${namespace}` : resource;
}

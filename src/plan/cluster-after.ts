import { isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';

/** What is left after a deletion, to be asked. */
export interface ClusterAfter {
  /** The object with this uid, unless it is gone or being deleted. */
  living(uid: string): ObjectRecord | undefined;
  /** Everything of `deployments.apps`, in one namespace or, with '', everywhere; also what is being deleted. */
  of(groupResource: string, namespace: string): readonly ObjectRecord[];
  at(groupResource: string, namespace: string, name: string): ObjectRecord | undefined;
}

/** Indexes what a simulation leaves; linear, and by name only where it is asked. */
export function clusterAfter(left: readonly ObjectRecord[]): ClusterAfter {
  const kinds = new Map<string, Map<string, ObjectRecord[]>>();
  const everywhere = new Map<string, ObjectRecord[]>();
  const byUid = new Map<string, ObjectRecord>();
  for (const record of left) {
    byUid.set(record.uid, record);
    const resource = groupResourceOf(record.type);
    push(everywhere, resource, record);
    let namespaces = kinds.get(resource);
    if (!namespaces) {
      namespaces = new Map();
      kinds.set(resource, namespaces);
    }
    push(namespaces, record.namespace, record);
  }
  const names = new Map<readonly ObjectRecord[], Map<string, ObjectRecord>>();
  const of = (resource: string, namespace: string) =>
    (namespace === '' ? everywhere.get(resource) : kinds.get(resource)?.get(namespace)) ?? none;
  return {
    living: (uid) => {
      const record = uid === '' ? undefined : byUid.get(uid);
      return record && !isBeingDeleted(record) ? record : undefined;
    },
    of,
    at: (resource, namespace, name) => {
      const list = of(resource, namespace);
      let index = names.get(list);
      if (!index) {
        index = new Map(list.map((record) => [record.name, record]));
        names.set(list, index);
      }
      return index.get(name);
    },
  };
}

const none: readonly ObjectRecord[] = Object.freeze([]);

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

import { managedBy, serviceName } from '../../controllers/endpoints/endpointslice.ts';
import { deletedWith, deliveriesAmong } from '../../delivery/deliveries.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownClaimsOf, knownNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isCustomResourceDefinition, isNamespace, isPod } from '../../kube/well-known-kinds.ts';

/** Objects that another one leads to. */
export type Next<T> = (object: T) => readonly T[];

/** Who acts on whom among these: along references, from a namespace or a definition to its content, and from a delivery tool to what it applied. */
export function relationsAmong<T extends { readonly record: ObjectRecord }>(
  touched: readonly T[],
): {
  readonly below: Next<T>;
  readonly above: Next<T>;
  /** The namespace that an object is in, and the definition of its kind. */
  readonly home: Next<T>;
  /** What a delivery tool deletes when this object of it is deleted, and the other way round. */
  readonly delivered: Next<T>;
  readonly tools: Next<T>;
} {
  const byUid = new Map<string, T>();
  const namespaces = new Map<string, Home<T>>();
  const definitions = new Map<string, Home<T>>();
  for (const object of touched) {
    const { record } = object;
    if (record.uid !== '') byUid.set(record.uid, object);
    if (isNamespace(record)) namespaces.set(record.name, { object, content: [] });
    if (isCustomResourceDefinition(record)) definitions.set(record.name, { object, content: [] });
  }
  const dependents = new Map<T, T[]>();
  const owners = new Map<T, T[]>();
  for (const object of touched) {
    const { record } = object;
    namespaces.get(record.namespace)?.content.push(object);
    if (definitions.size > 0) {
      definitions.get(groupResourceOf(record.type))?.content.push(object);
    }
    if (record.ownerReferences.length === 0) continue;
    const named = record.ownerReferences.flatMap(({ uid }) => byUid.get(uid) ?? []);
    const distinct = named.length > 1 ? [...new Set(named)] : named;
    const mine = distinct.filter((owner) => owner !== object);
    for (const owner of mine) push(dependents, owner, object);
    if (mine.length > 0) owners.set(object, mine);
  }
  const contentOf = ({ record }: T): readonly T[] =>
    (isNamespace(record) ? namespaces.get(record.name)?.content : undefined) ??
    (isCustomResourceDefinition(record) ? definitions.get(record.name)?.content : undefined) ??
    nothing;
  const deliveries = deliveriesAmong(touched.map(({ record }) => record));
  let byRecord: ReadonlyMap<ObjectRecord, T> | undefined;
  const among = (records: readonly ObjectRecord[]): readonly T[] => {
    if (records.length === 0) return nothing;
    const known = byRecord ?? new Map(touched.map((object) => [object.record, object]));
    byRecord = known;
    return records.flatMap((record) => known.get(record) ?? []);
  };
  return {
    delivered: ({ record }) => among(deletedWith(deliveries, record)),
    tools: ({ record }) => among(deliveries.above(record)),
    below: (object) => {
      const owned: readonly T[] = dependents.get(object) ?? nothing;
      const held = contentOf(object);
      return held.length === 0 ? owned : [...owned, ...held];
    },
    above: (object) => owners.get(object) ?? nothing,
    home: ({ record: { namespace, type } }) => {
      const found = [namespaces.get(namespace), definitions.get(groupResourceOf(type))];
      return found.flatMap((home) => home?.object ?? []);
    },
  };
}

/** A namespace or a definition. */
interface Home<T> {
  readonly object: T;
  readonly content: T[];
}

const nothing: readonly never[] = [];

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/**
 * What an object goes after without being owned by it, as a controller deletes it then: a volume after its
 * claim (PV-2), Endpoints and what is mirrored from them after their Service (OTH-2, OTH-3), a token after
 * its ServiceAccount (SAT-5), a pod after its Node (PG-12).
 */
export function followedAmong<T extends { readonly record: ObjectRecord }>(
  touched: readonly T[],
): Next<T> {
  const byName = new Map(
    touched.map((object) => {
      const { type, namespace, name } = object.record;
      return [type.group === '' ? keyOf(type.kind, namespace, name) : '', object];
    }),
  );
  return ({ record }) => followed(record).flatMap((key) => byName.get(key) ?? []);
}

function followed(record: ObjectRecord): string[] {
  const { type, namespace, name, labels, annotations, facts } = record;
  switch (type.kind) {
    case 'PersistentVolume': {
      const claim = facts?.claimRef;
      return claim ? [keyOf('PersistentVolumeClaim', claim.namespace ?? '', claim.name)] : [];
    }
    case 'Endpoints':
      return [keyOf('Service', namespace, name)];
    case 'EndpointSlice': {
      const service = labels?.[managedBy] === undefined ? undefined : labels[serviceName];
      if (service === undefined) return [];
      return [keyOf('Endpoints', namespace, service), keyOf('Service', namespace, service)];
    }
    case 'Secret': {
      const account = annotations?.['kubernetes.io/service-account.name'];
      return account === undefined ? [] : [keyOf('ServiceAccount', namespace, account)];
    }
    case 'Pod': {
      const node = isPod(record) ? knownNodeOf(record) : undefined;
      return node === undefined ? [] : [keyOf('Node', '', node)];
    }
    default:
      return [];
  }
}

const keyOf = (kind: string, namespace: string, name: string) => `${kind} ${namespace}/${name}`;

/**
 * What may go along with some of these objects, whatever holds it: what depends on them, was applied by them or goes after
 * them, and after what is being deleted already, as it may wait for them.
 */
export function mayGoWith(
  reached: readonly ObjectRecord[],
  targets: readonly Pick<ObjectRecord, 'uid'>[],
): ObjectRecord[] {
  const objects = reached.map((record) => ({ record }));
  const uids = new Set(targets.map(({ uid }) => uid));
  const { below, delivered } = relationsAmong(objects);
  const followedBy = followedAmong(objects);
  const followers = new Map<object, { readonly record: ObjectRecord }[]>();
  for (const object of objects) {
    if (object.record.facts?.persistentVolumeReclaimPolicy === 'Retain') continue;
    for (const first of followedBy(object)) push(followers, first, object);
  }
  const going = new Set(
    objects.filter(({ record }) => uids.has(record.uid) || isBeingDeleted(record)),
  );
  for (const object of going) {
    const next = [...below(object), ...delivered(object), ...(followers.get(object) ?? nothing)];
    for (const other of next) going.add(other);
  }
  return [...going].map(({ record }) => record);
}

/** The pods that use a claim: as long as one is bound to a Node, its protection stays (PV-11). */
export function usersAmong<T extends { readonly record: ObjectRecord }>(
  touched: readonly T[],
): Next<T> {
  const byClaim = new Map<string, T[]>();
  for (const object of touched) {
    const { record } = object;
    if (!isPod(record) || knownNodeOf(record) === undefined) continue;
    for (const claim of knownClaimsOf(record))
      push(byClaim, keyOf('PersistentVolumeClaim', record.namespace, claim), object);
  }
  return ({ record: { type, namespace, name } }) =>
    (type.group === '' && byClaim.get(keyOf(type.kind, namespace, name))) || nothing;
}

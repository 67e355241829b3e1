import { managedBy, serviceName } from '../../controllers/endpoints/endpointslice.ts';
import { deletedWith, deliveriesAmong } from '../../delivery/deliveries.ts';
import { pushTo } from '../../kube/json-value.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { locationKey } from '../../kube/object-reference.ts';
import { knownClaimsOf, knownNodeOf, targetNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isCustomResourceDefinition, isNamespace, isPod } from '../../kube/well-known-kinds.ts';

/** Objects that another one leads to. */
export type Next<T> = (object: T) => readonly T[];

/** Who acts on whom among some objects. */
export interface Relations<T> {
  /** Its owners. */
  readonly above: Next<T>;
  /** Its dependents and, for a namespace or a definition, its content. */
  readonly below: Next<T>;
  /** The namespace that an object is in, and the definition of its kind. */
  readonly container: Next<T>;
  /** What a delivery tool deletes when this object of it is deleted, and the other way round. */
  readonly delivered: Next<T>;
  readonly tools: Next<T>;
  /** The objects after whose deletion a controller deletes this one, which they do not own; and the other way round. */
  readonly precededBy: Next<T>;
  readonly trailing: Next<T>;
  /** The pods that use a claim: as long as one is bound to a Node, its protection stays (PV-11). */
  readonly users: Next<T>;
}

/** Objects are found by uid and by name; what leads the other way is found when it is first asked for. */
export function relationsAmong<T extends { readonly record: ObjectRecord }>(
  objects: readonly T[],
): Relations<T> {
  const byUid = new Map<string, T>();
  const byName = new Map<string, T>();
  const namespaces = new Map<string, T>();
  const definitions = new Map<string, T>();
  for (const object of objects) {
    const { record } = object;
    byUid.set(record.uid, object);
    if (isNamespace(record)) namespaces.set(record.name, object);
    else if (isCustomResourceDefinition(record)) definitions.set(record.name, object);
    else if (namedKinds.has(groupResourceOf(record.type))) byName.set(locationKey(record), object);
  }
  const deliveries = deliveriesAmong(objects.map(({ record }) => record));
  let byRecord: ReadonlyMap<ObjectRecord, T> | undefined;
  const among = (records: readonly ObjectRecord[]): readonly T[] => {
    if (records.length === 0) return nothing;
    byRecord ??= new Map(objects.map((object) => [object.record, object]));
    return records.flatMap((record) => byRecord?.get(record) ?? []);
  };
  const named = (keys: readonly string[]) => keys.flatMap((key) => byName.get(key) ?? []);
  const above: Next<T> = (object) => {
    const owners: T[] = [];
    for (const { uid } of object.record.ownerReferences) {
      const owner = uid === '' ? undefined : byUid.get(uid);
      if (owner && owner !== object && !owners.includes(owner)) owners.push(owner);
    }
    return owners;
  };
  const container: Next<T> = ({ record: { namespace, type } }) =>
    [namespaces.get(namespace), definitions.get(groupResourceOf(type))].filter(
      (one) => one !== undefined,
    );
  const precededBy: Next<T> = ({ record }) => named(predecessorsOf(record));
  const owned = inverse(objects, above);
  const held = inverse(objects, container);
  return {
    above,
    below: (object) => [...owned(object), ...held(object)],
    container,
    delivered: ({ record }) => among(deletedWith(deliveries, record)),
    tools: ({ record }) => among(deliveries.above(record)),
    precededBy,
    trailing: inverse(objects, precededBy),
    users: inverse(objects, ({ record }) => named(claimsHeldBy(record))),
  };
}

const nothing: readonly never[] = [];

/** Which objects others follow or use by their names: no others are found by a key. */
const kindsByName = [
  'endpoints',
  'nodes',
  'persistentvolumeclaims',
  'serviceaccounts',
  'services',
] as const;
const namedKinds: ReadonlySet<string> = new Set(kindsByName);

/** What leads to an object. */
function inverse<T>(objects: readonly T[], next: Next<T>): Next<T> {
  let before: Map<T, T[]> | undefined;
  return (object) => {
    if (!before) {
      before = new Map();
      for (const one of objects) {
        for (const other of next(one)) pushTo(before, other, one);
      }
    }
    return before.get(object) ?? nothing;
  };
}

/** As `locationKey` has it. */
function keyOf(resource: (typeof kindsByName)[number], namespace: string, name: string): string {
  return `${resource} ${namespace} ${name}`;
}

/** The key of an object that others are joined to by its name; undefined of all other kinds. */
export function nameKeyOf(record: ObjectRecord): string | undefined {
  return namedKinds.has(groupResourceOf(record.type)) ? locationKey(record) : undefined;
}

/** The keys of the objects after which an object is deleted, as `nameKeyOf` has them. */
export function predecessorsOf(record: ObjectRecord): string[] {
  return precedingObjects(record).map(({ resource, namespace, name }) =>
    keyOf(resource, namespace, name),
  );
}

interface PrecedingObject {
  readonly resource: (typeof kindsByName)[number];
  readonly namespace: string;
  readonly name: string;
}

/**
 * After which objects an object is deleted: a volume after its claim (PV-2), Endpoints and what is mirrored from them after
 * their Service (OTH-2, OTH-3), a token after its ServiceAccount (SAT-5), a Pod after its Node (PG-12).
 */
export function precedingObjects(record: ObjectRecord): PrecedingObject[] {
  const { type, namespace, name, labels, annotations, facts } = record;
  switch (groupResourceOf(type)) {
    case 'persistentvolumes': {
      const claim = facts?.claimRef;
      if (!claim) return [];
      const at = { namespace: claim.namespace ?? '', name: claim.name };
      return [{ resource: 'persistentvolumeclaims', ...at }];
    }
    case 'endpoints':
      return [{ resource: 'services', namespace, name }];
    case 'endpointslices.discovery.k8s.io': {
      const service = labels?.[managedBy] === undefined ? undefined : labels[serviceName];
      if (service === undefined) return [];
      return (['endpoints', 'services'] as const).map((resource) => ({
        resource,
        namespace,
        name: service,
      }));
    }
    case 'secrets': {
      const account = annotations?.['kubernetes.io/service-account.name'];
      if (account === undefined) return [];
      return [{ resource: 'serviceaccounts', namespace, name: account }];
    }
    case 'pods': {
      const node = targetNodeOf(record);
      return node === undefined ? [] : [{ resource: 'nodes', namespace: '', name: node }];
    }
    default:
      return [];
  }
}

/** The keys of the claims that a pod on a Node uses. */
export function claimsHeldBy(pod: ObjectRecord): string[] {
  if (!isPod(pod) || knownNodeOf(pod) === undefined) return [];
  return knownClaimsOf(pod).map((name) => keyOf('persistentvolumeclaims', pod.namespace, name));
}

/**
 * Objects that may be deleted with some of these objects, whatever blocks them: their dependents, the objects that they
 * applied, and the objects that are deleted after them or after an object that is already being deleted, which may wait for them.
 */
export function canDisappearWith(
  reached: readonly ObjectRecord[],
  targets: readonly Pick<ObjectRecord, 'uid'>[],
): ObjectRecord[] {
  const objects = reached.map((record) => ({ record }));
  const uids = new Set(targets.map(({ uid }) => uid));
  const { below, delivered, trailing } = relationsAmong(objects);
  const going = new Set(
    objects.filter(({ record }) => uids.has(record.uid) || isBeingDeleted(record)),
  );
  for (const object of going) {
    const after = trailing(object).filter(
      ({ record }) => record.facts?.persistentVolumeReclaimPolicy !== 'Retain',
    );
    for (const other of [...below(object), ...delivered(object), ...after]) going.add(other);
  }
  return [...going].map(({ record }) => record);
}

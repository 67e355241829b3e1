import {
  FOREGROUND,
  isBeingDeleted,
  type ObjectRecord,
  ORPHAN,
  type OwnerReference,
} from '../../kube/object-record.ts';
import { nodeNameOf } from '../../kube/pod-use.ts';
import { storedAs } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { minute } from '../../kube/time.ts';
import { isNamespace, isNode, isPod } from '../../kube/well-known-kinds.ts';
import { ownerPlaceOf } from '../../snapshot/graph/owner-place.ts';
import { type Owners, ownersAmong } from '../../snapshot/graph/owners.ts';
import { isWatchedKind } from '../controllers/start-controllers.ts';
import { hasKubelet } from '../kubelet.ts';
import type { SimulationInput } from '../simulation-input.ts';
import { type Acts, actingAmong, asBackdrop, backdropOf } from './acting-records.ts';
import type { Played } from './play.ts';

/** What is worth playing in other orders. */
export interface OrderDependentPart {
  readonly input: SimulationInput;
  /** What to compare: the input's records without those that only others are judged by. */
  readonly records: readonly ObjectRecord[];
  /** Positions of the part's requests among all. */
  readonly requests: readonly number[];
  /** Nothing is asked for, and no object acts on another: the few controllers that act on one make few orders. */
  readonly areAlone: boolean;
}

type Component = readonly ObjectRecord[];

/**
 * Objects act on each other only along references, and through a namespace, a definition or a Node that is
 * deleted. Of the components that these make, those where something happened are played again, unless
 * they are trees without anything that could hold an object: such trees end alike in every order.
 * So a large plain cluster costs one play. `about`: uids of which one has to be in a component.
 */
export function orderDependentPart(
  input: SimulationInput,
  shown: Played,
  about?: ReadonlySet<string>,
): OrderDependentPart | undefined {
  const { touched, first, contradicting } = shown.context.state;
  if (touched.size === 0 && shown.possibleEvents.size === 0) return undefined;
  const out = new Set(contradicting);
  const all = out.size === 0 ? input.records : input.records.filter((record) => !out.has(record));
  if (shown.possibleEvents.size === 0 && arePlain(all, first, input, shown)) return undefined;
  const links = shown.controllers.flatMap((controller) => controller.links ?? []);
  const { single, anywhere } = targetsOf(input, all);
  const canDisappear = (record: ObjectRecord) =>
    touched.has(record) || single.has(record) || isBeingDeleted(record);
  const movable = movableRecords(all, { canDisappear, owners: first, links }, input.types, about);
  const records = all.filter((record) => movable.has(record));
  const isSuspicious = suspicionIn(all, first, movable, input, shown);
  const owners = ownersAmong(records);
  const requestsFor = (component: Component) =>
    component.flatMap((record) => single.get(record) ?? []);
  const isPlain = (component: Component) => {
    const edges = component.flatMap(({ ownerReferences }) =>
      ownerReferences.filter(({ uid }) => owners.withUid(uid)),
    );
    const isTree = edges.length < component.length;
    return isTree && requestsFor(component).length < 2 && !component.some(isSuspicious);
  };
  const warned = new Set(
    [...shown.possibleEvents.values()].map(({ involvedObject: { uid } }) => uid),
  );
  const chosen = actingAmong(records, { canDisappear, owners, links })
    .components()
    .filter(
      (component) =>
        component.some(({ uid }) => warned.has(uid)) ||
        (component.some((record) => touched.has(record)) && !isPlain(component)),
    )
    .filter((component) => !about || component.some(({ uid }) => about.has(uid)));
  const decided = decidedIn(shown);
  if (chosen.every((component) => goesAlike(component, input, decided))) return undefined;

  const sent = [...chosen.flatMap(requestsFor), ...anywhere].sort((a, b) => a - b);
  const isCompared = new Set(chosen.flat());
  const compared = records.filter((record) => isCompared.has(record));
  return {
    input: inputOfPart(input, all, compared, sent),
    records: compared,
    requests: sent,
    areAlone: sent.length === 0 && compared.length === chosen.length,
  };
}

/** The input with these records, those that they are judged by, and these requests. */
function inputOfPart(
  input: SimulationInput,
  all: readonly ObjectRecord[],
  compared: readonly ObjectRecord[],
  sent: readonly number[],
): SimulationInput {
  const isCompared = new Set(compared);
  const isBackdrop = backdropOf(compared, all.filter(isNode), input.kubelets);
  const backdrop = all
    .filter((record) => isBackdrop(record) && !isCompared.has(record))
    .map(asBackdrop);
  const records = [...compared, ...backdrop];
  const requests = sent.flatMap((at) => input.requests[at] ?? []);
  return { ...input, records, owners: ownersAmong(records), requests };
}

/** uids of what controllers have decided about. */
function decidedIn({ controllers }: Played): ReadonlySet<string> {
  return new Set(
    controllers.flatMap(({ dues }) => dues.map(({ decision }) => decision.object.uid)),
  );
}

/** Milliseconds: more than any order takes to delete an object of a namespace. */
const mostForEach = 100;

/**
 * Is it a namespace that is going, and objects that only this joins? Each of them ends by itself: it goes, or stays for a
 * finalizer that no controller takes away. Pods have kubelets besides.
 */
function goesAlike(
  component: Component,
  { duration, requests }: SimulationInput,
  decided: ReadonlySet<string>,
): boolean {
  const home = component.find(isNamespace);
  const isInTime = minute + mostForEach * component.length < duration;
  if (!home || !isBeingDeleted(home) || !isInTime || requests.length > 0) return false;
  return component.every((record) => {
    const { uid, namespace, ownerReferences, finalizers } = record;
    const isWithin = record === home || namespace === home.name;
    const isAlone = ownerReferences.length === 0 && !isPod(record) && !decided.has(uid);
    const isOpen = (finalizer: string) =>
      finalizer === ORPHAN || finalizer === FOREGROUND || isWatchedKind(record);
    return isWithin && isAlone && !finalizers.some(isOpen);
  });
}

/**
 * Is each component plain? It is if each object has at most one owner, no chain of owners is a cycle, nothing could block an
 * object, and there is at most one request.
 */
function arePlain(
  all: readonly ObjectRecord[],
  owners: Owners,
  input: SimulationInput,
  shown: Played,
): boolean {
  if (input.requests.length > 1) return false;
  // What may move is asked only of objects with several owners.
  const isSuspicious = suspicionIn(all, owners, new Set(), input, shown);
  const hasEnd = (record: ObjectRecord) => {
    let above: ObjectRecord | undefined = record;
    for (let steps = 0; above && steps < longestChain; steps++) {
      const [reference]: readonly OwnerReference[] = above.ownerReferences;
      above = reference && owners.withUid(reference.uid);
    }
    return !above;
  };
  return (
    owners.intermediate().every(hasEnd) &&
    all.every((record) => record.ownerReferences.length < 2 && !isSuspicious(record))
  );
}

/** The length of a chain of owners; a longer one may be a cycle. */
const longestChain = 10;

/**
 * What may change where events come in another order: what has changed in one or is asked to, what is being deleted,
 * what has an owner that is not where its reference says, and all that a change of these goes on to. All else stays as
 * it is. `about`: uids of what is looked at although nothing happens to it.
 */
function movableRecords(
  records: readonly ObjectRecord[],
  acts: Acts & { readonly owners: Owners },
  types: ResourceTypes,
  about?: ReadonlySet<string>,
): ReadonlySet<ObjectRecord> {
  const start = [
    ...records.filter((record) => acts.canDisappear(record) || about?.has(record.uid)),
    ...acts.owners.withMissingOwner((...reference) => isFoundBy(...reference, types)),
  ];
  return actingAmong(records, acts).affectedBy(start);
}

/** Does the garbage collector find this owner where the reference of the dependent leads? */
function isFoundBy(
  { apiVersion, kind, name }: OwnerReference,
  dependent: ObjectRecord,
  owner: ObjectRecord,
  types: ResourceTypes,
): boolean {
  if (!isMapped({ apiVersion, kind }, dependent, types)) return false;
  const isNear = owner.namespace === '' || owner.namespace === dependent.namespace;
  return isNear && owner.name === name && owner.type.kind === kind;
}

/** Does the reference lead to a kind that is served, and that the dependent may be owned by? */
function isMapped(
  { apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>,
  dependent: ObjectRecord,
  types: ResourceTypes,
): boolean {
  const mapping = types.mapKind(apiVersion, kind);
  return mapping.kind === 'served' && (!mapping.type.namespaced || dependent.type.namespaced);
}

/** Finds anything that could make the end depend on the order of events. */
function suspicionIn(
  all: readonly ObjectRecord[],
  owners: Owners,
  movable: ReadonlySet<ObjectRecord>,
  input: SimulationInput,
  shown: Played,
): (record: ObjectRecord) => boolean {
  const { types, known } = input;
  const inBackground = input.requests.every(
    (request) => request.verb === 'delete' && request.options.propagationPolicy === 'Background',
  );
  let withoutUid: ReadonlySet<string> | undefined;
  const { state } = shown.context;
  const isLeft = (record: ObjectRecord) => !state.touched.has(record) || state.current(record);
  const unverified = new Set(owners.unverifiedDependents());
  return (record) => {
    const { ownerReferences, finalizers, deletionTimestamp } = record;
    if (finalizers.length > 0) return true;
    if (deletionTimestamp !== undefined && !isPod(record)) return true;
    if (isPod(record) && nodeNameOf(record) !== '' && isLeft(record)) {
      // A Pod that was removed by force is removed in every order.
      if (!input.kubelets || !hasKubelet(shown.context, record)) return true;
    }
    if (!unverified.has(record)) return false;
    const [reference, ...more] =
      ownerReferences.length > 1 && inBackground
        ? ownerReferences.filter((one) => !isSettled(record, one))
        : ownerReferences;
    if (!reference || more.length > 0) return more.length > 0;
    const owner = owners.withUid(reference.uid);
    return owner
      ? !isFoundBy(reference, record, owner, types)
      : !isMapped(reference, record, types);
  };

  /** Does the owner stay whatever happens, or is it certainly absent all the time? */
  function isSettled(record: ObjectRecord, reference: OwnerReference): boolean {
    const owner = owners.withUid(reference.uid);
    if (owner) return !movable.has(owner) && isFoundBy(reference, record, owner, types);
    const place = ownerPlaceOf(types, record, reference);
    if (place.end !== 'at') return place.end === 'gone';
    // Another object of its name is not it, whether that stays or goes.
    const { type, namespace } = place;
    const { name } = reference;
    withoutUid ??= new Set(all.flatMap((one) => (one.uid === '' ? one.name : [])));
    return known.covers(type, namespace, name) && !withoutUid.has(name);
  }
}

/** Positions of the requests that are about a record, and of those that are about no single existing object. */
function targetsOf(
  input: SimulationInput,
  records: readonly ObjectRecord[],
): {
  readonly single: ReadonlyMap<ObjectRecord, readonly number[]>;
  readonly anywhere: readonly number[];
} {
  const wanted = new Map<string, Map<string, number[]>>();
  const anywhere: number[] = [];
  input.requests.forEach((request, at) => {
    const type = input.types.find(request.apiVersion, request.kind);
    if (!type || request.verb === 'deletecollection' || request.verb === 'create') {
      anywhere.push(at);
      return;
    }
    const place = `${storedAs(type)}/${type.namespaced ? request.namespace : ''}`;
    let places = wanted.get(request.name);
    if (!places) {
      places = new Map();
      wanted.set(request.name, places);
    }
    places.set(place, [...(places.get(place) ?? []), at]);
  });
  const single = new Map<ObjectRecord, readonly number[]>();
  if (wanted.size === 0) return { single, anywhere };
  for (const record of records) {
    const places = wanted.get(record.name);
    const requests = places?.get(`${storedAs(record.type)}/${record.namespace}`);
    if (requests) single.set(record, requests);
  }
  return { single, anywhere };
}

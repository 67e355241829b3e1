import {
  isBeingDeleted,
  noReferences,
  type ObjectRecord,
} from '../../../src/kube/object-record.ts';
import { nodeNameOf } from '../../../src/kube/pod-use.ts';
import { storedAs } from '../../../src/kube/resource-type.ts';
import {
  isCustomResourceDefinition,
  isNamespace,
  isNode,
  isPod,
} from '../../../src/kube/well-known-kinds.ts';
import { actingAmong } from '../../../src/simulator/engine/acting-records.ts';
import type { Played } from '../../../src/simulator/engine/play.ts';
import { hasKubelet } from '../../../src/simulator/kubelet.ts';
import type { SimulationInput } from '../../../src/simulator/simulation-input.ts';
import { ownersAmong } from '../../../src/snapshot/graph/owners.ts';

/** What is worth playing in other orders. */
export interface OrderDependentPart {
  readonly input: SimulationInput;
  /** What to compare: the input's records without those that only others are judged by. */
  readonly records: readonly ObjectRecord[];
  /** Positions of the part's requests among all. */
  readonly requests: readonly number[];
}

interface Family {
  size: number;
  edges: number;
  touched: boolean;
  suspicious: boolean;
  readonly requests: number[];
}

/**
 * Objects act on each other only along references, and through a namespace, a definition or a Node that is
 * deleted. Of the families that these make, those where something happened are played again, unless
 * they are trees without anything that could hold an object: such trees end alike in every order.
 * So a large plain cluster costs one play. `about`: uids of which one has to be in a family.
 */
export function orderDependentPart(
  input: SimulationInput,
  shown: Played,
  about?: ReadonlySet<string>,
): OrderDependentPart | undefined {
  const { touched } = shown.context.state;
  if (touched.size === 0 && shown.possibleEvents.size === 0) return undefined;
  const contradicting = new Set(shown.context.state.contradicting);
  const records = [...input.records].filter((record) => !contradicting.has(record));
  const components = actingAmong(records, {
    owners: ownersAmong(records),
    canDisappear: (record) => touched.has(record) || isBeingDeleted(record),
    links: shown.controllers.flatMap(({ links }) => links ?? []),
  }).components();
  const numbers = new Map(
    components.flatMap((component, at) => component.map((record) => [record, at] as const)),
  );
  const familyOf = (at: number) => numbers.get(records[at] as ObjectRecord) ?? -1;
  const positions = new Map(records.map(({ uid }, at) => [uid, at]));
  const families = new Map<number, Family>();
  records.forEach((record, index) => {
    const family = familyAt(families, familyOf(index));
    family.size++;
    family.touched ||= touched.has(record);
    const owners = record.ownerReferences.flatMap(
      ({ uid }) => records[positions.get(uid) ?? -1] ?? [],
    );
    family.edges += owners.length;
    family.suspicious ||= isSuspicious(record, owners, input, shown);
  });
  const { single, anywhere } = targetsOf(input, records);
  for (const [at, index] of single) familyAt(families, familyOf(index)).requests.push(at);

  const chosen = new Set<number>();
  for (const [at, { size, edges, touched, suspicious, requests }] of families) {
    const isPlain = edges < size && !suspicious && requests.length < 2;
    if (touched && !isPlain) chosen.add(at);
  }
  for (const { involvedObject } of shown.possibleEvents.values()) {
    const index = positions.get(involvedObject.uid);
    if (index !== undefined) chosen.add(familyOf(index));
  }
  if (about) {
    const wanted = new Set(records.flatMap(({ uid }, at) => (about.has(uid) ? familyOf(at) : [])));
    for (const at of chosen) if (!wanted.has(at)) chosen.delete(at);
  }
  if (chosen.size === 0) return undefined;

  const requests = [...chosen].flatMap((at) => families.get(at)?.requests ?? []);
  const sent = [...requests, ...anywhere].sort((a, b) => a - b);
  const compared = records.filter((_, at) => chosen.has(familyOf(at)));
  // They must not be judged here: their owners may be left out.
  const backdrop = records
    .filter((record, at) => isBackdrop(record) && !chosen.has(familyOf(at)))
    .map((record) => ({ ...record, ownerReferences: noReferences }));
  return {
    input: {
      ...input,
      records: [...compared, ...backdrop],
      requests: sent.flatMap((at) => input.requests[at] ?? []),
    },
    records: compared,
    requests: sent,
  };
}

function familyAt(families: Map<number, Family>, at: number): Family {
  let family = families.get(at);
  if (!family) {
    family = { size: 0, edges: 0, touched: false, suspicious: false, requests: [] };
    families.set(at, family);
  }
  return family;
}

/** What others are judged by wherever it is. */
function isBackdrop(record: ObjectRecord): boolean {
  const { type, namespace } = record;
  if (type.kind === 'Lease' && namespace === 'kube-node-lease') return true;
  return isNode(record) || isNamespace(record) || isCustomResourceDefinition(record);
}

/** Anything that could make one order end otherwise than another. */
function isSuspicious(
  record: ObjectRecord,
  owners: readonly ObjectRecord[],
  input: SimulationInput,
  shown: Played,
): boolean {
  const { ownerReferences, finalizers, deletionTimestamp, type } = record;
  if (finalizers.length > 0 || ownerReferences.length > 1) return true;
  if (deletionTimestamp !== undefined && !isPod(record)) return true;
  if (isPod(record) && nodeNameOf(record) !== '') {
    if (!input.kubelets || !hasKubelet(shown.context, record)) return true;
  }
  const [reference] = ownerReferences;
  if (!reference) return false;
  const mapping = input.types.mapKind(reference.apiVersion, reference.kind);
  if (mapping.kind !== 'served') return true;
  if (mapping.type.namespaced && !type.namespaced) return true;
  const [owner] = owners;
  if (!owner) return false;
  const inPlace = owner.namespace === '' || owner.namespace === record.namespace;
  return !inPlace || owner.name !== reference.name || owner.type.kind !== reference.kind;
}

/**
 * Which request is about which record, by their positions; and the requests that are about no
 * single existing object.
 */
function targetsOf(
  input: SimulationInput,
  records: readonly ObjectRecord[],
): { readonly single: readonly (readonly [number, number])[]; readonly anywhere: number[] } {
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
  const single: [number, number][] = [];
  records.forEach(({ type, namespace, name }, index) => {
    const requests = wanted.get(name)?.get(`${storedAs(type)}/${namespace}`) ?? [];
    for (const at of requests) single.push([at, index]);
  });
  return { single, anywhere };
}

import { builtInTypes } from '../../kube/built-in-types.ts';
import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import {
  apiVersionOf,
  groupResourceOf,
  guessPlural,
  parseApiVersion,
  type ResourceType,
} from '../../kube/resource-type.ts';
import { ResourceTypes } from '../../kube/resource-types.ts';
import { type ObjectEvent, ReportedEvents } from '../../programs/object-event.ts';
import {
  type ControllerSettings,
  defaultControllerSettings,
} from '../../settings/controller-settings.ts';
import { buildGraph, type Graph } from '../../snapshot/graph/graph.ts';
import { ownerPlaceOf } from '../../snapshot/graph/owner-place.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { AuditedRequest } from '../audited-request.ts';
import { absenceIn } from '../compare/compare-snapshots.ts';
import { type EndReason, endsBetween } from '../compare/explain-ends.ts';
import { type Place, RequestIndex } from './request-index.ts';
import { SavedObjects } from './saved-objects.ts';

/** One of the objects that had a name one after the other, as far as requests and snapshots show it. */
export interface Lifetime {
  readonly place: Place;
  /** Empty where nothing names it. */
  readonly uid: string;
  /** The request that created it, where it is in the log. */
  readonly creation: AuditedRequest | undefined;
  readonly record: ObjectRecord | undefined;
  /** Requests that deleted it or can have: the first one began the deletion. */
  readonly deletions: readonly AuditedRequest[];
  /** Which of two requests began the deletion is unknown: the first may have been a dry run. */
  readonly isDoubtful: boolean;
  /** Updates and patches, in order. */
  readonly changes: readonly AuditedRequest[];
  /** The next object of that name was created by this request, or is in a snapshot. */
  readonly next: AuditedRequest | undefined;
  /** It does not exist any more: another one has its name, or a complete snapshot does not hold it. */
  readonly hasEnded: boolean;
}

/** The evidence about the time in which objects were deleted. */
export interface History {
  readonly index: RequestIndex;
  readonly types: ResourceTypes;
  /** The cluster before, and afterwards. */
  readonly before: SeenThen | undefined;
  readonly after: SeenThen | undefined;
  readonly events: ReportedEvents;
  /** Of workloads, whose controllers say `Deleted pod: web-1` of them. */
  readonly reportedDeletions: readonly ObjectEvent[];
  readonly backups: SavedObjects;
  /** By which rule a controller was to delete an object of the earlier snapshot that the later one does not hold. */
  readonly ruleOf: (record: ObjectRecord) => EndReason | undefined;
  /** What was made of requests once, by `placeKey`. */
  readonly lifetimes: Map<string, readonly Lifetime[]>;
  readonly referenceTo: (place: Place, uid: string) => ObjectReference;
  /** Where an owner is or was; undefined where its kind is unknown. */
  readonly placeOfOwner: (dependent: Place, owner: OwnerReference) => Place | undefined;
}

/** A snapshot, and its object at a place. */
export interface SeenThen {
  readonly graph: Graph;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly find: (place: Place) => ObjectRecord | undefined;
  /** Was the place read, and is nothing there? */
  readonly isAbsent: (place: Place) => boolean;
}

export interface HistorySources {
  readonly requests?: readonly AuditedRequest[];
  readonly events?: ReportedEvents;
  readonly backups?: SavedObjects;
  readonly settings?: ControllerSettings;
  /** Why controllers were to delete objects of `before`, where that was found out already. */
  readonly reasons?: ReadonlyMap<ObjectRecord, EndReason> | undefined;
  readonly before?: Snapshot | undefined;
  readonly after?: Snapshot | undefined;
}

export function historyOf({
  requests = [],
  events = new ReportedEvents(),
  backups = new SavedObjects(),
  settings = defaultControllerSettings,
  reasons,
  before,
  after,
}: HistorySources): History {
  let rules = reasons;
  const index = new RequestIndex(requests);
  const types = knownTypes([before, after], requests);
  const typeOf = ({ resource }: Pick<Place, 'resource'>) => types.versions(resource)[0];
  return {
    index,
    types,
    before: before && seenThen(before),
    after: after && seenThen(after),
    events,
    reportedDeletions: events.all().filter(({ reason }) => reason === 'SuccessfulDelete'),
    backups,
    ruleOf: (record) => {
      rules ??= before && after ? rulesBetween(before, after, settings) : new Map();
      return rules.get(record);
    },
    lifetimes: new Map(),
    referenceTo: (place, uid) => referenceWith(place, uid, typeOf(place)),
    placeOfOwner: (dependent, owner) => {
      const { namespace } = dependent;
      const type = typeOf(dependent) ?? { namespaced: namespace !== '' };
      const found = ownerPlaceOf(types, { namespace, type }, owner);
      if (found.end === 'at') {
        const resource = groupResourceOf(found.type);
        return { resource, namespace: found.namespace, name: owner.name };
      }
      return placeInLog(index, dependent, owner);
    },
  };
}

/** What no rule explains, somebody deleted. */
function rulesBetween(before: Snapshot, after: Snapshot, settings: ControllerSettings) {
  const isAbsent = absenceIn(after);
  const graph = buildGraph(after);
  const ended = before.records.filter(
    (record) => !graph.at(record.type, record.namespace, record.name) && isAbsent(record),
  );
  return endsBetween(buildGraph(before), graph, ended, settings);
}

function seenThen(snapshot: Snapshot): SeenThen {
  const graph = buildGraph(snapshot);
  const isAbsent = absenceIn(snapshot);
  const typeOf = ({ resource }: Place) => snapshot.types.versions(resource)[0];
  return {
    graph,
    at: Date.parse(snapshot.observedAt),
    find: (place) => {
      const type = typeOf(place);
      return type && graph.at(type, place.namespace, place.name);
    },
    isAbsent: (place) => {
      const type = typeOf(place);
      return (
        type !== undefined &&
        !graph.at(type, place.namespace, place.name) &&
        isAbsent({ ...place, type })
      );
    },
  };
}

/** Of a kind that no snapshot serves, the log knows the plural alone. */
function referenceWith(
  { resource, namespace, name }: Place,
  uid: string,
  type: ResourceType | undefined,
): ObjectReference {
  if (type?.version)
    return { apiVersion: apiVersionOf(type), kind: type.kind, namespace, name, uid };
  return { apiVersion: '', kind: resource, namespace, name, uid };
}

/** Where requests name an object of that name, whose resource is what the owner's kind mostly has. */
function placeInLog(
  index: RequestIndex,
  { namespace }: Place,
  { apiVersion, kind, name }: OwnerReference,
): Place | undefined {
  const { group = '' } = parseApiVersion(apiVersion) ?? {};
  const resource = groupResourceOf({ group, resource: guessPlural(kind) });
  return [namespace, '']
    .map((home) => ({ resource, namespace: home, name }))
    .find((place) => index.at(place).length > 0);
}

/** Kinds that snapshots serve and that Kubernetes serves anyway, and those of which requests name no more than the plural. */
export function knownTypes(
  snapshots: readonly (Snapshot | undefined)[],
  requests: readonly AuditedRequest[],
): ResourceTypes {
  const served = [...snapshots.flatMap((snapshot) => snapshot?.types.all ?? []), ...builtInTypes];
  const known = new Set(served.map(groupResourceOf));
  const others = new Map<string, ResourceType>();
  for (const { group, resource, namespace } of requests) {
    const name = groupResourceOf({ group, resource });
    if (known.has(name) || others.has(name)) continue;
    others.set(name, onlyNamed(group, resource, namespace !== ''));
  }
  return new ResourceTypes([...served, ...others.values()], { exhaustive: false });
}

/** A kind of which the plural is all that is known; its version is left empty. */
function onlyNamed(group: string, resource: string, namespaced: boolean): ResourceType {
  return {
    group,
    version: '',
    kind: resource,
    resource,
    singular: resource.replace(/(?<=.)s$/, ''),
    shortNames: [],
    categories: [],
    namespaced,
    verbs: [],
  };
}

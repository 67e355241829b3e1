import type { ClusterView } from '../../collectors/cluster-view.ts';
import type { Decision } from '../../collectors/collector.ts';
import type { CollectorId } from '../../collectors/collector-ids.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { CollectorSettings } from '../../settings/collector-settings.ts';
import { type Change, type ClusterState, storedAs } from '../cluster-state.ts';
import type { Actor } from '../timeline.ts';
import type { Indexes } from './object-index.ts';

/** A controller that works on events: it looks at one object after another, whenever one of its own changed. */
export interface KeyedCollector {
  readonly id: CollectorId;
  readonly controller: Actor;
  readonly passes?: undefined;
  /** Not one of kube-controller-manager: `--controllers` does not turn it off. */
  readonly isElsewhere?: boolean;
  /** Kinds of the objects that it works through, as in `jobs.batch`. */
  readonly kinds: readonly string[];
  /** Kinds of all that it decides by. */
  readonly reads: readonly string[];
  /** Those of its kinds that are there at the start, where others need not be asked about. */
  present?(cluster: Cluster): Iterable<ObjectRecord>;
  /** Could it have anything to do with this object of its kinds? It is asked often and must be cheap. */
  concerns(record: ObjectRecord, cluster: Cluster): boolean;
  /** Other objects of its kinds to look at because this one was written. */
  affected?(change: Change, cluster: Cluster): readonly (ObjectRecord | undefined)[];
  decide(record: ObjectRecord, cluster: Cluster, occasion: Occasion): readonly Decision[];
  /** Objects that share one of these names act on each other. */
  linksOf?(record: ObjectRecord, cluster: Cluster): readonly string[];
}

/** What a controller knows of the cluster. */
export interface Cluster {
  readonly state: ClusterState;
  readonly view: ClusterView;
  readonly indexes: Indexes;
  readonly settings: CollectorSettings;
  /** Since when the controllers run, as far as that is known; epoch milliseconds. */
  readonly startedAt: number | undefined;
  /** Taint eviction: when a pod's time is up, by its uid. */
  readonly evictions: Map<string, number>;
}

export interface Occasion {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Nothing has changed: the controller starts, or it ran before the simulation. */
  readonly isFirst: boolean;
  /** It ran before the simulation. */
  readonly ranBefore: boolean;
}

/** The cluster as it looks to somebody who works on one object; `lists` stand for what would take long to list. */
export function focusOn(
  record: ObjectRecord,
  view: ClusterView,
  lists: Readonly<Record<string, readonly ObjectRecord[]>> = {},
): ClusterView {
  const own = storedAs(record.type);
  const listed = (resource: string) => (resource === own ? [record] : lists[resource]);
  return {
    all: (resource) => listed(resource) ?? [],
    in: (resource, namespace) => listed(resource) ?? view.in(resource, namespace),
    at: (resource, namespace, name) => view.at(resource, namespace, name),
    covers: (resource, namespace, name) => view.covers(resource, namespace, name),
  };
}

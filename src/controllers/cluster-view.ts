import { minorOrAssumed } from '../settings/setting-definition.ts';
import { coverageIndexOf } from '../snapshot/coverage.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { type ByKind, byKind } from './by-kind.ts';

/** What controllers read of a cluster: objects that exist. Manifests that were never applied are not among them. */
export interface ClusterView extends ByKind {
  /** The minor version of Kubernetes 1 whose controllers decide. */
  readonly minor: number;
  /** Would the view have this object if it existed? */
  covers(resource: string, namespace: string, name: string): boolean;
}

const views = new WeakMap<Snapshot, ClusterView>();

/** The content of a snapshot, as controllers see it. */
export function viewOf(snapshot: Snapshot): ClusterView {
  const view = views.get(snapshot) ?? viewIn(snapshot);
  views.set(snapshot, view);
  return view;
}

function viewIn(snapshot: Snapshot): ClusterView {
  const coverage = coverageIndexOf(snapshot.coverage);
  return {
    ...byKind(snapshot.records.filter(({ uid }) => uid !== '')),
    minor: minorOrAssumed(snapshot.serverVersion),
    covers: (resource, namespace, name) => {
      const type = snapshot.types.versions(resource)[0];
      // A kind that is not served has no objects.
      if (!type) return snapshot.types.exhaustive;
      return coverage.covers(type, namespace, name);
    },
  };
}

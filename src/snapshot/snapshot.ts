import type { ObjectRecord } from '../kube/object-record.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { Coverage } from './coverage.ts';

/** Where a snapshot came from. */
export type Origin =
  | { readonly kind: 'cluster'; readonly server: string }
  | { readonly kind: 'files'; readonly paths: readonly string[] };

/**
 * What was read of a cluster at one moment, immutable: the only input of the graph and of
 * everything after it.
 */
export interface Snapshot {
  readonly records: readonly ObjectRecord[];
  readonly types: ResourceTypes;
  readonly coverage: Coverage;
  /** RFC 3339: the moment the snapshot was taken; offline commands use it as the current time. */
  readonly observedAt: string;
  /** `v1.36.3`, when known. */
  readonly serverVersion: string | undefined;
  readonly origin: Origin;
}

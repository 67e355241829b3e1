import type { ObjectRecord } from '../kube/object-record.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { CollectorSettings } from '../settings/collector-settings.ts';
import type { EnabledControllers } from '../settings/controllers.ts';
import type { KnownPart } from './known-part.ts';
import type { SimulatedRequest } from './request.ts';

/** When controllers begin: before the first request and settled, or after the last one. */
export type Start = 'running' | 'after-requests';

/** What is played, whatever the schedule. */
export interface Scene {
  readonly types: ResourceTypes;
  readonly records: Iterable<ObjectRecord>;
  readonly requests: readonly SimulatedRequest[];
  readonly start: Start;
  readonly isEnabled: EnabledControllers;
  readonly kubelets: boolean;
  /** Does a Node have to be ready for its kubelet to confirm anything? */
  readonly readyOnly: boolean;
  /** Does the namespace controller delete pods before everything else? */
  readonly podsFirst: boolean;
  readonly known: KnownPart;
  /** Of the collectors beside the garbage collector; undefined: none of them runs. */
  readonly collectors: CollectorSettings | undefined;
  /** When the controllers began that ran before the simulation, as far as the picture tells; epoch milliseconds. */
  readonly controllersSince: number | undefined;
  /** Epoch milliseconds at the beginning. */
  readonly now: number;
  /** Milliseconds. */
  readonly duration: number;
}

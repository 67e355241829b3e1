import { conditions } from './condition.ts';
import {
  at,
  type KeptBy,
  list,
  microTime,
  object,
  seconds,
  text,
  time,
  trueOnly,
} from './shape.ts';

/** Of a Node, and of a device. */
export const taint = object({
  key: at('key', '1', text, ''),
  value: at('value', '2', text),
  effect: at('effect', '3', text, ''),
  /** RFC 3339. */
  timeAdded: at('timeAdded', '4', time),
});
export const taints = list(taint);

/** One entry of a Node's spec.taints. */
export type Taint = KeptBy<typeof taints>;

/** Shared by every Node that has none. */
export const noTaints: readonly Taint[] = Object.freeze([]);

export const taintEffects: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export const nodeFields = {
  providerID: at('spec.providerID', '2.3', text),
  unschedulable: at('spec.unschedulable', '2.4', trueOnly),
  taints: at('spec.taints', '2.5', taints, noTaints),
  conditions: at(
    'status.conditions',
    '3.4',
    conditions({ lastHeartbeatTime: 3, lastTransitionTime: 4, reason: 5, message: 6 }),
  ),
};

/** Its times are RFC 3339 with microseconds. */
export const leaseFields = {
  holderIdentity: at('spec.holderIdentity', '2.1', text),
  leaseDurationSeconds: at('spec.leaseDurationSeconds', '2.2', seconds),
  acquireTime: at('spec.acquireTime', '2.3', microTime),
  renewTime: at('spec.renewTime', '2.4', microTime),
};

export const leaseCandidateFields = { renewTime: at('spec.renewTime', '2.3', microTime) };

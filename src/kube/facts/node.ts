import { type Condition, conditions } from './condition.ts';
import { at, type FieldsOf, flag, integer, list, microTime, object, text, time } from './shape.ts';

/** One entry of a Node's spec.taints. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  /** RFC 3339. */
  readonly timeAdded?: string;
}

/** Shared by every Node that has none. */
export const noTaints: readonly Taint[] = Object.freeze([]);

export const taintEffects: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export interface NodeObjectFacts {
  readonly providerID?: string;
  readonly unschedulable?: boolean;
  readonly taints?: readonly Taint[];
  readonly conditions?: readonly Condition[];
}

export const nodeFields: FieldsOf<NodeObjectFacts> = {
  providerID: at('spec.providerID', '2.3', text),
  unschedulable: at('spec.unschedulable', '2.4', flag),
  taints: at(
    'spec.taints',
    '2.5',
    list(
      object<Taint>({
        key: at('key', '1', text, ''),
        value: at('value', '2', text),
        effect: at('effect', '3', text, ''),
        timeAdded: at('timeAdded', '4', time),
      }),
    ),
    noTaints,
  ),
  conditions: at(
    'status.conditions',
    '3.4',
    conditions({ lastHeartbeatTime: 3, lastTransitionTime: 4, reason: 5, message: 6 }),
  ),
};

export interface LeaseFacts {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  /** RFC 3339 with microseconds. */
  readonly acquireTime?: string;
  /** RFC 3339 with microseconds. */
  readonly renewTime?: string;
}

type LeaseCandidateFacts = Pick<LeaseFacts, 'renewTime'>;

export const leaseFields: FieldsOf<LeaseFacts> = {
  holderIdentity: at('spec.holderIdentity', '2.1', text),
  leaseDurationSeconds: at('spec.leaseDurationSeconds', '2.2', integer),
  acquireTime: at('spec.acquireTime', '2.3', microTime),
  renewTime: at('spec.renewTime', '2.4', microTime),
};

export const leaseCandidateFields: FieldsOf<LeaseCandidateFacts> = {
  renewTime: at('spec.renewTime', '2.3', microTime),
};

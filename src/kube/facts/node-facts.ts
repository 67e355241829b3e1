import { noTaints, type Taint } from '../taint.ts';
import { type Condition, conditions } from './condition.ts';
import { at, type FieldsOf, flag, list, object, text, time } from './shape.ts';

export interface NodeFacts {
  readonly providerID?: string;
  readonly unschedulable?: boolean;
  readonly taints?: readonly Taint[];
  readonly conditions?: readonly Condition[];
}

export const nodeFields: FieldsOf<NodeFacts> = {
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

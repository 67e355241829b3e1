import { at, count, list, object, type Shape, text, time } from './shape.ts';

/** One entry of status.conditions. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  /** RFC 3339. */
  readonly lastTransitionTime?: string;
  /** CertificateSigningRequest: RFC 3339. */
  readonly lastUpdateTime?: string;
  /** Node: RFC 3339. */
  readonly lastHeartbeatTime?: string;
  readonly observedGeneration?: number;
}

/** The kinds number the fields of their conditions differently; a number of 0 is a field that they do not have. */
interface ConditionNumbers {
  readonly status?: number;
  readonly reason: number;
  readonly message: number;
  readonly lastTransitionTime: number;
  readonly lastUpdateTime?: number;
  readonly lastHeartbeatTime?: number;
  readonly observedGeneration?: number;
}

export function conditions(numbers: ConditionNumbers): Shape<readonly Condition[]> {
  const { status = 2, reason, message, lastTransitionTime } = numbers;
  const { lastUpdateTime = 0, lastHeartbeatTime = 0, observedGeneration = 0 } = numbers;
  return list(
    object<Condition>({
      type: at('type', '1', text, ''),
      status: at('status', `${status}`, text, ''),
      reason: at('reason', `${reason}`, text),
      message: at('message', `${message}`, text),
      lastTransitionTime: at('lastTransitionTime', `${lastTransitionTime}`, time),
      lastUpdateTime: at('lastUpdateTime', `${lastUpdateTime}`, time),
      lastHeartbeatTime: at('lastHeartbeatTime', `${lastHeartbeatTime}`, time),
      observedGeneration: at('observedGeneration', `${observedGeneration}`, count),
    }),
  );
}

/** Those of Pods, Namespaces, PersistentVolumeClaims and Jobs. */
export const commonConditions = conditions({
  lastTransitionTime: 4,
  reason: 5,
  message: 6,
  observedGeneration: 7,
});

import { at, type KeptBy, nonZero, objects, text, time } from './shape.ts';

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

const usualNumbers = { status: 2, lastUpdateTime: 0, lastHeartbeatTime: 0, observedGeneration: 0 };

/** `only`: the type of those that are kept. */
export function conditions(given: ConditionNumbers, only?: string) {
  const numbers = { ...usualNumbers, ...given };
  const fields = {
    type: at('type', '1', text, ''),
    status: at('status', `${numbers.status}`, text, ''),
    reason: at('reason', `${numbers.reason}`, text),
    message: at('message', `${numbers.message}`, text),
    /** RFC 3339. */
    lastTransitionTime: at('lastTransitionTime', `${numbers.lastTransitionTime}`, time),
    /** CertificateSigningRequest: RFC 3339. */
    lastUpdateTime: at('lastUpdateTime', `${numbers.lastUpdateTime}`, time),
    /** Node: RFC 3339. */
    lastHeartbeatTime: at('lastHeartbeatTime', `${numbers.lastHeartbeatTime}`, time),
    observedGeneration: at('observedGeneration', `${numbers.observedGeneration}`, nonZero),
  };
  const isKept = (one: object) => 'type' in one && one.type === only;
  return objects(fields, only === undefined ? undefined : isKept);
}

/** One entry of status.conditions. */
export type Condition = KeptBy<ReturnType<typeof conditions>>;

/** Those of Pods, Namespaces, PersistentVolumeClaims and Jobs. */
export const commonConditions = conditions({
  lastTransitionTime: 4,
  reason: 5,
  message: 6,
  observedGeneration: 7,
});

import { type Condition, commonConditions } from './condition.ts';
import { at, type FieldsOf, list, text } from './shape.ts';

export interface NamespaceFacts {
  /** spec.finalizers. */
  readonly specFinalizers?: readonly string[];
  /** status.phase. */
  readonly phase?: string;
  readonly conditions?: readonly Condition[];
}

const none: readonly string[] = Object.freeze([]);

export const namespaceFields: FieldsOf<NamespaceFacts> = {
  specFinalizers: at('spec.finalizers', '2.1', list(text), none),
  phase: at('status.phase', '3.1', text),
  conditions: at('status.conditions', '3.2', commonConditions),
};

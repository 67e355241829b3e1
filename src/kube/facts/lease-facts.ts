import { at, type FieldsOf, integer, microTime, text } from './shape.ts';

export interface LeaseFacts {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  /** RFC 3339 with microseconds. */
  readonly acquireTime?: string;
  /** RFC 3339 with microseconds. */
  readonly renewTime?: string;
}

export type LeaseCandidateFacts = Pick<LeaseFacts, 'renewTime'>;

export const leaseFields: FieldsOf<LeaseFacts> = {
  holderIdentity: at('spec.holderIdentity', '2.1', text),
  leaseDurationSeconds: at('spec.leaseDurationSeconds', '2.2', integer),
  acquireTime: at('spec.acquireTime', '2.3', microTime),
  renewTime: at('spec.renewTime', '2.4', microTime),
};

export const leaseCandidateFields: FieldsOf<LeaseCandidateFacts> = {
  renewTime: at('spec.renewTime', '2.3', microTime),
};

import { at, type FieldsOf, list, object, presence, text } from './shape.ts';

export interface ResourceClaimFacts {
  /** Is status.allocation set? */
  readonly allocated?: boolean;
  readonly reservedFor?: readonly ClaimConsumer[];
}

/** Mostly a Pod: resource `pods` of no API group. */
export interface ClaimConsumer {
  readonly apiGroup?: string;
  readonly resource: string;
  readonly name: string;
  readonly uid: string;
}

export const resourceClaimFields: FieldsOf<ResourceClaimFacts> = {
  allocated: at('status.allocation', '3.1', presence),
  reservedFor: at(
    'status.reservedFor',
    '3.2',
    list(
      object<ClaimConsumer>({
        apiGroup: at('apiGroup', '1', text),
        resource: at('resource', '3', text, ''),
        name: at('name', '4', text, ''),
        uid: at('uid', '5', text, ''),
      }),
    ),
  ),
};

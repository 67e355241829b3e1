import { type LabelSelector, plainSelector } from '../label-selector.ts';
import {
  at,
  type FieldsOf,
  list,
  type PartialReference,
  partialReference,
  text,
  within,
} from './shape.ts';

export interface ServiceFacts {
  readonly selector?: LabelSelector;
  /** spec.type. */
  readonly serviceType?: string;
  /** IPv4, IPv6. */
  readonly ipFamilies?: readonly string[];
}

export interface EndpointSliceFacts {
  readonly addressType?: string;
  /** What the endpoints stand for, mostly Pods; endpoints that name nothing are left out. */
  readonly targetRefs?: readonly PartialReference[];
}

export interface ServiceAccountFacts {
  /** Names of the Secrets that were made for it. */
  readonly secrets?: readonly string[];
}

export const serviceFields: FieldsOf<ServiceFacts> = {
  selector: at('spec.selector', '2.2', plainSelector),
  serviceType: at('spec.type', '2.4', text),
  ipFamilies: at('spec.ipFamilies', '2.19', list(text)),
};

export const endpointSliceFields: FieldsOf<EndpointSliceFacts> = {
  addressType: at('addressType', '4', text),
  targetRefs: at('endpoints', '2', list(within('targetRef', '4', partialReference))),
};

export const serviceAccountFields: FieldsOf<ServiceAccountFacts> = {
  secrets: at('secrets', '2', list(within('name', '3', text))),
};

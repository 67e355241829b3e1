import { plainSelector } from '../label-selector.ts';
import { at, list, partialReference, text, within } from './shape.ts';

export const serviceFields = {
  selector: at('spec.selector', '2.2', plainSelector),
  serviceType: at('spec.type', '2.4', text),
  /** IPv4, IPv6. */
  ipFamilies: at('spec.ipFamilies', '2.19', list(text)),
};

export const endpointSliceFields = {
  addressType: at('addressType', '4', text),
  /** What the endpoints stand for, mostly Pods; endpoints that name nothing are left out. */
  targetRefs: at('endpoints', '2', list(within('targetRef', '4', partialReference))),
};

export const serviceAccountFields = {
  /** Names of the Secrets that were made for it. */
  secrets: at('secrets', '2', list(within('name', '3', text))),
};

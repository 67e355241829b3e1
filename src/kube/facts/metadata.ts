import { keptAnnotations } from './kept-annotations.ts';
import {
  at,
  type CompleteOf,
  complete,
  type KeptBy,
  labels,
  labelsAmong,
  list,
  namedFields,
  optionalBool,
  seconds,
  stringOrEmpty,
  text,
  time,
  uniqueString,
  unsetFields,
} from './shape.ts';

const ownerReference = complete({
  apiVersion: at('apiVersion', '5', stringOrEmpty, ''),
  kind: at('kind', '1', stringOrEmpty, ''),
  name: at('name', '3', stringOrEmpty, ''),
  uid: at('uid', '4', stringOrEmpty, ''),
  controller: at('controller', '6', optionalBool),
  /** Only an explicit true blocks a foreground deletion (GC-7). */
  blockOwnerDeletion: at('blockOwnerDeletion', '7', optionalBool),
});

/** One entry of metadata.ownerReferences, as stored. */
export interface OwnerReference extends KeptBy<typeof ownerReference> {}

/** Shared by every record that has none, so that empty lists cost nothing. */
export const noReferences: readonly OwnerReference[] = Object.freeze([]);
export const noFinalizers: readonly string[] = Object.freeze([]);

/** What is kept of metadata, in the order in which it is printed. */
const fields = {
  name: at('name', '1', uniqueString, ''),
  /** Empty for cluster-scoped objects. */
  namespace: at('namespace', '3', text, ''),
  /** Empty for a manifest that was never applied. */
  uid: at('uid', '5', text, ''),
  resourceVersion: at('resourceVersion', '6', uniqueString),
  creationTimestamp: at('creationTimestamp', '8', time),
  /** Set while the object is being deleted. */
  deletionTimestamp: at('deletionTimestamp', '9', time),
  deletionGracePeriodSeconds: at('deletionGracePeriodSeconds', '10', seconds),
  labels: at('labels', '11', labels),
  annotations: at('annotations', '12', labelsAmong(keptAnnotations)),
  ownerReferences: at('ownerReferences', '13', list(ownerReference), noReferences),
  finalizers: at('finalizers', '14', list(stringOrEmpty), noFinalizers),
};

/** The fields of metadata that every record has. */
export interface KeptMetadata extends CompleteOf<typeof fields> {}

export const metadataFields = namedFields(fields);

/** Metadata in which nothing is set. */
export const blankMetadata = unsetFields(metadataFields) as KeptMetadata;

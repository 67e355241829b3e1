import { isEventType, parseApiVersion } from '../../kube/resource-type.ts';
import type { ClassifiedReference } from '../../snapshot/graph/classify-reference.ts';
import { correction, eachReference, type ReferenceRule, removal } from './reference-findings.ts';

export const namespacedOwnerOfClusterObject: ReferenceRule = {
  id: 'namespaced-owner-of-cluster-object',
  title: 'A cluster-scoped object names a namespaced owner',
  advice: "Remove the reference, and let the owner's controller delete the object in a finalizer.",
  // Whatever has the uid is not what was meant: with it as owner, the object would be deleted one day.
  ...eachReference((_subject, { outcome, because }, index) => {
    if (outcome !== 'namespaced-owner-of-cluster-object') return undefined;
    const how = 'remove the reference; let a finalizer of the owner delete it';
    return () => ({ message: because, fix: removal(index, how) });
  }),
};

export const unservedOwnerKind: ReferenceRule = {
  id: 'unserved-owner-kind',
  title: "No API serves the owner's kind",
  advice:
    'Where the uid is known, name the owner as it is; else remove the reference, or install the API again.',
  ...eachWithOutcome(
    'unserved-kind',
    'remove the reference, or install the API that serves the kind',
  ),
};

export const unservedOwnerVersion: ReferenceRule = {
  id: 'unserved-owner-version',
  title: "The owner's kind is served, but not in that version",
  advice:
    'If an object with that uid exists, name a served version. If none exists, do not change the version alone: the object would be deleted immediately.',
  // A served version alone is no fix: a reference to an owner that does not exist gets the object deleted.
  ...eachWithOutcome(
    'unserved-version',
    'remove the reference: no object with that uid could be the owner',
  ),
};

export const eventOwner: ReferenceRule = {
  id: 'event-owner',
  title: 'The owner is an Event',
  advice: 'Remove the reference. Events expire by themselves.',
  ...eachReference((_subject, { reference }, index) => {
    if (reference.kind.toLowerCase() !== 'event') return undefined;
    const group = parseApiVersion(reference.apiVersion)?.group;
    if (group === undefined || !isEventType({ group, resource: 'events' })) return undefined;
    return () => ({
      message:
        'the garbage collector does not watch Events: it polls for this one at growing intervals and notices its end late; the API server refuses a core/v1 Event as owner',
      fix: removal(index, 'remove the reference; Events expire by themselves'),
    });
  }),
};

/** The parts of a rule about references that the garbage collector cannot look up for one reason. */
function eachWithOutcome(outcome: ClassifiedReference['outcome'], removing: string) {
  return eachReference((subject, classified, index) =>
    classified.outcome === outcome
      ? () => ({
          message: classified.because,
          fix: correction(subject, classified.reference, index, removing),
        })
      : undefined,
  );
}

import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { fixOfGoneOwner } from './gone-owner.ts';
import {
  correction,
  describe,
  eachReference,
  type ReferenceRule,
  removal,
  type Subject,
} from './reference-findings.ts';

export const missingOwner: ReferenceRule = {
  id: 'missing-owner',
  title: 'The owner does not exist',
  advice:
    'To keep the object, remove the reference now: a running garbage collector deletes it within seconds. Otherwise do nothing.',
  ...eachReference((subject, classified, index) => {
    const { class: cls, outcome, reference, because } = classified;
    if (cls !== 'dangling' || outcome === 'other-uid' || outcome === 'elsewhere') return undefined;
    if (subject.graph.withUid(reference.uid)) return undefined;
    return () => ({ message: because, fix: fixOfGoneOwner(subject, classified, index) });
  }),
};

export const ownerUidMismatch: ReferenceRule = {
  id: 'owner-uid-mismatch',
  title: 'The owner was recreated: same name, another uid',
  advice: 'Point the reference at the uid that exists now, or remove it.',
  ...eachReference((subject, classified, index) => {
    const { outcome, found, reference, because } = classified;
    if (outcome !== 'other-uid' || !found || subject.graph.withUid(reference.uid)) return undefined;
    if (found === subject.record) {
      return () => ({
        message: because,
        fix: removal(index, 'remove the reference; it names the object itself'),
      });
    }
    return () => ({ message: because, fix: fixOfGoneOwner(subject, classified, index) });
  }),
};

export const ownerNameMismatch: ReferenceRule = {
  id: 'owner-name-mismatch',
  title: 'The uid belongs to an object with another name',
  advice: 'Name the owner as it is called.',
  ...eachOwnerThatDiffers('name', ({ name }) => `the reference says ${name}`),
};

export const ownerKindMismatch: ReferenceRule = {
  id: 'owner-kind-mismatch',
  title: 'The uid belongs to an object of another kind',
  advice: 'Name the kind that the owner has.',
  ...eachOwnerThatDiffers(
    'kind',
    ({ apiVersion, kind, name }) => `the reference says ${apiVersion} ${kind} ${name}`,
  ),
};

export const crossNamespaceOwner: ReferenceRule = {
  id: 'cross-namespace-owner',
  title: 'The owner is in another namespace',
  advice: 'Remove the reference.',
  ...eachOwnerThatDiffers(
    'namespace',
    (_, { record }) => `owners are looked up in the dependent's namespace ${record.namespace} only`,
    'remove the reference; tie the two together with a label and a finalizer of the owner instead',
  ),
};

/** The parts of a rule about references whose uid some object has, while another field of them leads elsewhere (GC-28). */
function eachOwnerThatDiffers(
  where: 'namespace' | 'kind' | 'name',
  but: (reference: OwnerReference, subject: Subject) => string,
  removing = 'remove the reference',
) {
  return eachReference((subject, { class: cls, reference }, index) => {
    const owner = cls === 'dangling' ? subject.graph.withUid(reference.uid) : undefined;
    if (!owner || differenceOf(subject, reference, owner) !== where) return undefined;
    return () => ({
      message: `the uid is that of ${describe(owner)}, but ${but(reference, subject)}`,
      fix: correction(subject, reference, index, removing),
    });
  });
}

/** In which coordinate a dangling reference differs from the object that does have its uid. */
function differenceOf(
  { graph, record }: Subject,
  { apiVersion, kind }: OwnerReference,
  owner: ObjectRecord,
): 'namespace' | 'kind' | 'name' {
  // A cluster-scoped object has no namespace that could differ; only the reference's kind misleads.
  if (record.type.namespaced && owner.type.namespaced && owner.namespace !== record.namespace) {
    return 'namespace';
  }
  const mapping = graph.snapshot.types.mapKind(apiVersion, kind);
  const isSameKind =
    mapping.kind === 'served' && groupResourceOf(mapping.type) === groupResourceOf(owner.type);
  return isSameKind ? 'name' : 'kind';
}

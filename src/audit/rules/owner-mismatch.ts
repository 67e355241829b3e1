import { fixOfGoneOwner } from './gone-owner.ts';
import {
  describe,
  eachReference,
  pointAtOwner,
  type ReferenceRule,
  removal,
  trueOwner,
} from './reference-findings.ts';

export const missingOwner: ReferenceRule = {
  id: 'missing-owner',
  title: 'The owner does not exist',
  advice:
    'To let the object go, do nothing. To keep it, remove the reference at once: a running garbage collector deletes it within seconds.',
  ...eachReference((subject, classified, index) => {
    const { class: cls, outcome, reference, because } = classified;
    if (cls !== 'dangling' || outcome === 'other-uid' || outcome === 'elsewhere') return undefined;
    if (subject.graph.withUid(reference.uid)) return undefined;
    return { message: because, fix: fixOfGoneOwner(subject, classified, index) };
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
      return {
        message: because,
        fix: removal(index, 'remove the reference; it names the object itself'),
      };
    }
    return { message: because, fix: fixOfGoneOwner(subject, classified, index) };
  }),
};

export const ownerNameMismatch: ReferenceRule = {
  id: 'owner-name-mismatch',
  title: 'The uid belongs to an object with another name',
  advice: 'Name the owner as it is called.',
  ...eachReference((subject, classified, index) => {
    const truth = trueOwner(subject, classified);
    if (truth?.differs !== 'name') return undefined;
    const { reference } = classified;
    return {
      message: `the uid is that of ${describe(truth.owner)}, but the reference says ${reference.name}`,
      fix: pointAtOwner(subject, reference, index) ?? removal(index, 'remove the reference'),
    };
  }),
};

export const ownerKindMismatch: ReferenceRule = {
  id: 'owner-kind-mismatch',
  title: 'The uid belongs to an object of another kind',
  advice: 'Name the kind that the owner has.',
  ...eachReference((subject, classified, index) => {
    const truth = trueOwner(subject, classified);
    if (truth?.differs !== 'kind') return undefined;
    const { reference } = classified;
    return {
      message: `the uid is that of ${describe(truth.owner)}, but the reference says ${reference.apiVersion} ${reference.kind} ${reference.name}`,
      fix: pointAtOwner(subject, reference, index) ?? removal(index, 'remove the reference'),
    };
  }),
};

export const crossNamespaceOwner: ReferenceRule = {
  id: 'cross-namespace-owner',
  title: 'The owner is in another namespace',
  advice: 'Remove the reference.',
  ...eachReference((subject, classified, index) => {
    const truth = trueOwner(subject, classified);
    if (truth?.differs !== 'namespace') return undefined;
    return {
      message: `the uid is that of ${describe(truth.owner)}, but owners are looked up in the dependent's namespace ${subject.record.namespace} only`,
      fix: removal(
        index,
        'remove the reference; tie the two together with a label and a finalizer of the owner instead',
      ),
    };
  }),
};

import {
  isBeingDeleted,
  isDeletingDependents,
  type ObjectRecord,
} from '../../../kube/object-record.ts';
import type { ReferenceClass } from '../../../snapshot/graph/classify-reference.ts';
import { forEachReference, type Rule, removal, type Violation } from '../reference-rule.ts';

export const selfOwner: Rule = {
  id: 'self-owner',
  title: 'The object owns itself',
  advice:
    'Remove the reference. To free an object whose deletion already hangs, delete it again with --cascade=background.',
  check: (subject) =>
    forEachReference(subject, ({ reference, class: cls }, index) => {
      const { record } = subject;
      if (record.uid === '' || reference.uid !== record.uid) return undefined;
      return {
        message: 'the reference names the object itself',
        fix: removal(index, 'remove the reference'),
        ...consequencesOf(record, cls, reference.blockOwnerDeletion === true),
      };
    }),
};

/** Blocking goes by uid, so it does not depend on the reference's other fields (GC-5). */
function consequencesOf(
  record: ObjectRecord,
  cls: ReferenceClass,
  blocks: boolean,
): Pick<Violation, 'consequences' | 'kubernetesRule'> {
  const blocked = blocks ? (['blocks a foreground deletion for ever'] as const) : [];
  if (isDeletingDependents(record) && blocks)
    return { kubernetesRule: 'GC-23', consequences: blocked };
  if (isBeingDeleted(record) || cls !== 'solid') return {};
  return { kubernetesRule: 'GC-22.10', consequences: ['never collected', ...blocked] };
}

import type { ObjectRecord, OwnerReference } from '../../src/kube/object-record.ts';
import { classifyReference } from '../../src/snapshot/graph/classify-reference.ts';
import { graphOf, pod, type SnapshotOptions } from './builders.ts';

/** What classifyReference answers about a reference of an object among `others`; `found` by uid. */
export function look(
  reference: OwnerReference,
  others: readonly ObjectRecord[],
  options: SnapshotOptions & { readonly dependent?: ObjectRecord } = {},
) {
  const { dependent = pod('web-1'), ...rest } = options;
  const record = { ...dependent, ownerReferences: [reference] };
  const {
    reference: asked,
    found,
    ...verdict
  } = classifyReference(graphOf([record, ...others], rest), record, reference);
  if (asked !== reference) throw new Error('the answer is about another reference');
  return { ...verdict, found: found?.uid };
}

/** An answer of `look`. */
export function answer(
  cls: string,
  outcome: string,
  rule: string,
  because: string,
  found: ObjectRecord | undefined = undefined,
) {
  return { class: cls, outcome, rule, because, found: found?.uid };
}

import type { PropagationPolicy } from '../controllers/garbage-collector/judge.ts';
import { comparePolicies } from '../deletion/plan/compare-policies.ts';
import { planDeletion } from '../deletion/plan/plan-deletion.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { PageData } from '../output/pages/page-data.ts';
import { comparisonPage } from '../questions/delete/comparison-text.ts';
import { planPage } from '../questions/delete/text.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** What is asked: a policy, or all of them side by side. */
export type Choice = PropagationPolicy | 'compare';

/** What the page shows of the deletion of an object. */
export function deletionPage(snapshot: Snapshot, target: ObjectRecord, choice: Choice): PageData {
  const now = Date.parse(snapshot.observedAt);
  const context = { now, settings: {}, cluster: { server: '', uid: '' } };
  const look = { colour: false, width: undefined, now, records: snapshot.records };
  const targets = [target];
  return choice === 'compare'
    ? comparisonPage(comparePolicies(snapshot, { targets }, context), look)
    : planPage(planDeletion(snapshot, { targets, policy: choice }, context), look);
}

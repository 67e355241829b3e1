import type { PropagationPolicy } from '../controllers/garbage-collector/judge.ts';
import { comparePolicies } from '../deletion/plan/compare-policies.ts';
import { planDeletion } from '../deletion/plan/plan-deletion.ts';
import { InputContents } from '../files/input-contents.ts';
import { ObjectReader } from '../files/object-reader.ts';
import { documentsIn } from '../files/parsing/documents.ts';
import { yamlValue } from '../files/parsing/yaml-value.ts';
import { readValue } from '../files/read-value.ts';
import { snapshotOfContents } from '../files/snapshot-of-contents.ts';
import { builtInTypes } from '../kube/built-in-types.ts';
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

/** The cluster that a text describes: what does not stand in it does not exist. What cannot be read is a gap. */
export function snapshotOfText(text: string, now: Date): Snapshot {
  const contents = new InputContents(builtInTypes);
  const reader = new ObjectReader('text', contents);
  for (const { value, fault, lost, line } of documentsIn(text, yamlValue)) {
    if (fault === undefined) readValue(reader, value, line);
    else {
      reader.problem('unreadable', fault, line);
      if (lost === undefined) contents.lost.addAnything();
      else contents.lost.addNamedIn(lost);
    }
  }
  contents.problems.push(...reader.problems());
  return snapshotOfContents(contents, ['text'], { now: () => now, complete: true });
}

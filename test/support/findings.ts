import { parse } from 'yaml';
import { findInvalidReferences } from '../../src/audit/invalid-references.ts';
import type { ReferenceRule } from '../../src/audit/rules/reference-findings.ts';
import { nowhere, printedCommand } from '../../src/command-line/shell-command.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import { type SnapshotOptions, snapshotOf } from './builders.ts';
import { objectsFrom } from './objects-from.ts';
import { rowsOf } from './rows.ts';

/** What a rule finds in each case of such a table without results: its title, and below it a line for each thing. */
export function foundByReferences(
  rule: ReferenceRule,
  objects: string,
  references: string,
  cases: string,
): string {
  const recordsOf = objectsFrom(objects, references);
  return rowsOf(cases)
    .map(([title = '', there = '', options = '']) =>
      [title, ...findingsOf(rule, recordsOf(there), parse(options) ?? {})].join('\n  '),
    )
    .join('\n');
}

/** What one rule finds: where and why; what comes of it, and by which rule of Kubernetes; the fix; its edits. */
export function findingsOf(
  rule: ReferenceRule,
  records: readonly ObjectRecord[],
  options?: SnapshotOptions,
): string[] {
  const graph = buildGraph(snapshotOf(records, options));
  return findInvalidReferences(graph, () => true, [rule]).flatMap((finding) => {
    if (finding.rule !== rule.id) throw new Error(`${finding.rule} is not ${rule.id}`);
    const { object, reference, message, consequences, kubernetesRule, fix } = finding;
    const owner = reference ? ` > ${reference.kind} ${reference.name}` : '';
    const inWords = fix.edits.length > 0 || fix.choices || !fix.command;
    return [
      `${object.type.kind} ${object.name}${owner}: ${message}`,
      `${consequences.join(', ')} (${kubernetesRule})`,
      inWords ? fix.summary : `${fix.summary}: ${printedCommand(fix.command, nowhere)}`,
      ...fix.edits.map(({ index, to }) => {
        const before: Record<string, unknown> = { ...object.ownerReferences[index] };
        const after = Object.entries(to ?? {}).filter(([field, value]) => before[field] !== value);
        const changes = after.map(([field, value]) => `${field}=${value}`).join(' ');
        return `${index}: ${to ? changes : 'removed'}`;
      }),
    ];
  });
}

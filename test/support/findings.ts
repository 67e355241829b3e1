import { findInvalidReferences } from '../../src/audit/invalid-references.ts';
import type { ReferenceRule } from '../../src/audit/rules/reference-findings.ts';
import type { ObjectRecord, OwnerReference } from '../../src/kube/object-record.ts';
import { nowhere, printedCommand } from '../../src/kube/shell-command.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import { pod, type SnapshotOptions, snapshotOf } from './builders.ts';

/** A finding in short. */
export interface ShortFinding {
  /** `Pod web-1` or `Pod web-1 > ReplicaSet web`. */
  readonly at: string;
  readonly because: string;
  readonly consequences: readonly string[];
  readonly gcRule: string;
  readonly fix: string;
  /** `0: removed`, `1: name=web`. */
  readonly edits: readonly string[];
}

/** The pod `web-1`, or another one, with these references. */
export const owned = (...ownerReferences: OwnerReference[]) => pod('web-1', { ownerReferences });
export const named = (name: string, ...ownerReferences: OwnerReference[]) =>
  pod(name, { ownerReferences });

/** What one rule finds among objects. */
export const finder =
  (rule: ReferenceRule) =>
  (...records: ObjectRecord[]) =>
    findingsOf(rule, records);

/** The same, of objects that were read in part or are of other kinds. */
export function findingsOf(
  rule: ReferenceRule,
  records: readonly ObjectRecord[],
  options?: SnapshotOptions,
): ShortFinding[] {
  const graph = buildGraph(snapshotOf(records, options));
  return findInvalidReferences(graph, () => true, [rule]).map((finding) => {
    if (finding.rule !== rule.id) throw new Error(`${finding.rule} is not ${rule.id}`);
    const { object, reference, message, consequences, kubernetesRule, fix } = finding;
    const owner = reference ? ` > ${reference.kind} ${reference.name}` : '';
    return {
      at: `${object.type.kind} ${object.name}${owner}`,
      because: message,
      consequences,
      gcRule: kubernetesRule,
      fix:
        fix.edits.length > 0 || fix.choices || !fix.command
          ? fix.summary
          : `${fix.summary}: ${printedCommand(fix.command, nowhere)}`,
      edits: fix.edits.map(({ index, to }) => {
        const before: Record<string, unknown> = { ...object.ownerReferences[index] };
        const changed = Object.entries(to ?? {}).filter(
          ([field, value]) => before[field] !== value,
        );
        const what = changed.map(([field, value]) => `${field}=${value}`).join(' ');
        return `${index}: ${to ? what : 'removed'}`;
      }),
    };
  });
}

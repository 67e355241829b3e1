import { judge } from '../collectors/garbage-collector/judge.ts';
import type { Graph } from '../graph/graph.ts';
import type { ObjectRecord, OwnerReference, ReferenceWriter } from '../kube/object-record.ts';
import type { Consequence, Finding } from '../rules/rule.ts';
import { type DocumentHead, headOf, type ObjectReference, refOf } from './document.ts';
import { type JsonPatch, repairPatches } from './repair-patches.ts';

/** `invalid-ownerrefs`: every wrong reference, what it leads to and how to mend it. */
export interface InvalidReferencesReport extends DocumentHead<'InvalidOwnerReferences'> {
  readonly items: readonly InvalidReference[];
  /** One patch for each object that edits can put right. */
  readonly patches: readonly ObjectPatch[];
  /** References nobody could judge, because their owner's kind was not read. */
  readonly unknown: readonly UnknownReference[];
}

export interface InvalidReference {
  readonly class: string;
  readonly object: ObjectReference;
  readonly reference?: OwnerReference;
  readonly consequences: readonly Consequence[];
  readonly rule: string;
  readonly because: string;
  readonly fix: string;
  readonly writer?: ReferenceWriter;
}

export interface ObjectPatch {
  readonly object: ObjectReference;
  readonly patch: JsonPatch;
}

export interface UnknownReference {
  readonly object: ObjectReference;
  readonly reference: OwnerReference;
  readonly because: string;
}

/** Who wrote the references of an object. */
export type WritersOf = (record: ObjectRecord) => readonly ReferenceWriter[] | undefined;

export function invalidReferencesReport(
  graph: Graph,
  findings: readonly Finding[],
  scope: (record: ObjectRecord) => boolean = () => true,
  writersOf: WritersOf = (record) => record.writers,
): InvalidReferencesReport {
  return {
    ...headOf('InvalidOwnerReferences', graph.snapshot),
    items: findings.map((finding) => itemOf(finding, writersOf)),
    patches: repairPatches(findings).map(({ record, patch }) => ({ object: refOf(record), patch })),
    unknown: graph.snapshot.records.filter(scope).flatMap((record) => unknownOf(graph, record)),
  };
}

function itemOf(finding: Finding, writersOf: WritersOf): InvalidReference {
  const { rule, object, reference, consequences, gcRule, because, repair } = finding;
  const writer = reference && latest(writersOf(object), reference.uid);
  return {
    class: rule,
    object: refOf(object),
    ...(reference && { reference }),
    consequences,
    rule: gcRule,
    because,
    fix: repair.summary,
    ...(writer && { writer }),
  };
}

/** The manager that last set the reference to this uid. */
function latest(
  writers: readonly ReferenceWriter[] | undefined,
  uid: string,
): ReferenceWriter | undefined {
  return writers
    ?.filter((writer) => writer.uid === uid)
    .reduce<ReferenceWriter | undefined>(
      (last, writer) => ((writer.time ?? '') >= (last?.time ?? '') ? writer : last),
      undefined,
    );
}

function unknownOf(graph: Graph, record: ObjectRecord): UnknownReference[] {
  if (record.ownerReferences.length === 0) return [];
  return judge(graph, record).references.flatMap(({ class: cls, reference, because }) =>
    cls === 'unknown' ? [{ object: refOf(record), reference, because }] : [],
  );
}

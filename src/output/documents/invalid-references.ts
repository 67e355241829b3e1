import { fixPatches, type ObjectPatch } from '../../audit/fixes.ts';
import type { Consequence, Finding } from '../../audit/rules/reference-rule.ts';
import { judge } from '../../controllers/garbage-collector/judge.ts';
import type { FieldManager, ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import { type DocumentHead, headOf } from '../../snapshot/snapshot.ts';

/** `invalid-ownerrefs`: every wrong reference, its consequence and its fix. */
export interface InvalidReferencesReport extends DocumentHead<'InvalidOwnerReferences'> {
  readonly items: readonly InvalidReference[];
  /** One patch for each object that edits can fix. */
  readonly patches: readonly ObjectPatch[];
  /** References that cannot be judged, because their owner's kind was not read. */
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
  readonly writer?: FieldManager;
}

export interface UnknownReference {
  readonly object: ObjectReference;
  readonly reference: OwnerReference;
  readonly because: string;
}

/** Who wrote the references of an object. */
export type FieldManagersOf = (record: ObjectRecord) => readonly FieldManager[] | undefined;

export function invalidReferencesReport(
  graph: Graph,
  findings: readonly Finding[],
  scope: (record: ObjectRecord) => boolean = () => true,
  managersOf: FieldManagersOf = (record) => record.writers,
): InvalidReferencesReport {
  return {
    ...headOf('InvalidOwnerReferences', graph.snapshot),
    items: findings.map((finding) => itemOf(finding, managersOf)),
    patches: fixPatches(findings).map(({ record, patch }) => ({
      object: referenceTo(record),
      patch,
    })),
    unknown: unknownReferences(graph, scope),
  };
}

function itemOf(finding: Finding, managersOf: FieldManagersOf): InvalidReference {
  const { rule, object, reference, consequences, kubernetesRule, message, fix } = finding;
  const writer = reference && latest(managersOf(object), reference.uid);
  return {
    class: rule,
    object: referenceTo(object),
    ...(reference && { reference }),
    consequences,
    rule: kubernetesRule,
    because: message,
    // Edits are among the patches; what they cannot do, a command of its own does.
    fix: fix.edits.length > 0 || !fix.command ? fix.summary : `${fix.summary}: ${fix.command}`,
    ...(writer && { writer }),
  };
}

/** The manager that last set the reference to this uid. */
function latest(
  writers: readonly FieldManager[] | undefined,
  uid: string,
): FieldManager | undefined {
  return writers
    ?.filter((writer) => writer.uid === uid)
    .reduce<FieldManager | undefined>(
      (last, writer) => ((writer.time ?? '') >= (last?.time ?? '') ? writer : last),
      undefined,
    );
}

/** The references of these objects that cannot be judged. */
export function unknownReferences(
  graph: Graph,
  scope: (record: ObjectRecord) => boolean,
): UnknownReference[] {
  return graph.snapshot.records.flatMap((record) => {
    if (record.ownerReferences.length === 0 || !scope(record)) return [];
    return judge(graph, record).references.flatMap(({ class: cls, reference, because }) =>
      cls === 'unknown' ? [{ object: referenceTo(record), reference, because }] : [],
    );
  });
}

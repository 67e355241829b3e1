import { fixPatches, type ObjectPatch } from '../../audit/fixes.ts';
import {
  type OwnerChoice,
  type PublishedConsequence,
  publishedConsequences,
  type ReferenceFinding,
  type ReferenceFix,
} from '../../audit/rules/reference-findings.ts';
import { type CommandPlace, nowhere, printedCommand } from '../../command-line/shell-command.ts';
import { judgementsIn } from '../../controllers/garbage-collector/judge.ts';
import { picked } from '../../kube/json-value.ts';
import type { FieldManager, ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import { type CountedObjects, countingHead, type DocumentHead } from '../../snapshot/snapshot.ts';
import {
  type CollectorHealth,
  hindranceOf,
  isOverdue,
} from '../../why/garbage-collector/collector-health.ts';

/** `invalid-ownerrefs`: every wrong reference, its consequence and its fix. */
export interface InvalidReferencesReport extends DocumentHead<'InvalidOwnerReferences'> {
  readonly items: readonly InvalidReference[];
  /** One patch for each object that edits can fix. */
  readonly patches: readonly ObjectPatch[];
  /** References that cannot be judged, because their owner's kind was not read. */
  readonly unknown: readonly UnknownReference[];
  /** What the garbage collector was seen to do with what it should delete or change; left out where that was not observed. */
  readonly garbageCollector?: CollectorHealth;
}

export interface InvalidReference {
  readonly class: string;
  readonly object: ObjectReference;
  readonly reference?: OwnerReference;
  readonly consequences: readonly PublishedConsequence[];
  readonly rule: string;
  readonly because: string;
  readonly fix: string;
  /** Where only the user knows what is meant: what the patch does, and what each choice means. */
  readonly choice?: OwnerChoice;
  /** What each choice of --missing-owner means for this object. */
  readonly choices?: Readonly<Partial<Record<OwnerChoice, string>>>;
  readonly writer?: FieldManager;
  /** The garbage collector should have deleted it by now. */
  readonly overdue?: true;
}

export interface UnknownReference {
  readonly object: ObjectReference;
  readonly reference: OwnerReference;
  readonly because: string;
}

/** Who wrote the references of an object. */
export type FieldManagersOf = (record: ObjectRecord) => readonly FieldManager[] | undefined;

interface InvalidReferencesOptions {
  readonly scope?: (record: ObjectRecord) => boolean;
  /** What `scope` is about. */
  readonly counted?: CountedObjects;
  readonly managersOf?: FieldManagersOf;
  readonly place?: CommandPlace;
}

export function invalidReferencesReport(
  graph: Graph,
  findings: readonly ReferenceFinding[],
  options: InvalidReferencesOptions = {},
): InvalidReferencesReport {
  const { scope = () => true, counted, place = nowhere } = options;
  const { managersOf = (record: ObjectRecord) => record.writers } = options;
  return {
    ...countingHead('InvalidOwnerReferences', graph.snapshot, counted),
    items: findings.map((finding) => invalidReference(finding, managersOf, place)),
    patches: patchesOf(findings),
    unknown: unknownReferences(graph, scope),
  };
}

/** The uids of the objects that the garbage collector should have deleted by now, as it works within a second. */
export function dueByReferences({ items }: InvalidReferencesReport): ReadonlySet<string> {
  return new Set(items.filter(isDue).map(({ object }) => object.uid));
}

function isDue({ consequences }: InvalidReference): boolean {
  return consequences[0] === publishedConsequences.deleted;
}

/** The same with what was observed of the garbage collector. */
export function withCollector(
  report: InvalidReferencesReport,
  garbageCollector: CollectorHealth | undefined,
  types: ResourceTypes,
): InvalidReferencesReport {
  if (!garbageCollector) return report;
  const isLate = isOverdue(garbageCollector);
  const items = report.items.map((item): InvalidReference => {
    if (!isLate || !isDue(item)) return item;
    const type = types.find(item.object.apiVersion, item.object.kind);
    const why = hindranceOf(garbageCollector, type && groupResourceOf(type), true);
    return { ...item, overdue: true, because: [item.because, ...(why ? [why] : [])].join('; ') };
  });
  return { ...report, items, garbageCollector };
}

function patchesOf(findings: readonly ReferenceFinding[]): ObjectPatch[] {
  return fixPatches(findings).map(({ record, patch }) => ({ object: referenceTo(record), patch }));
}

function invalidReference(
  finding: ReferenceFinding,
  managersOf: FieldManagersOf,
  place: CommandPlace,
): InvalidReference {
  const { rule, object, reference, kubernetesRule, message, fix } = finding;
  const writer = reference && latest(managersOf(object), reference.uid);
  const isEdit = fix.edits.length > 0 || fix.choices !== undefined;
  return {
    class: rule,
    object: referenceTo(object),
    ...picked(finding, 'reference'),
    consequences: finding.consequences.map((one) => publishedConsequences[one]),
    rule: kubernetesRule,
    because: message,
    // Edits are among the patches. What no edit can do has a separate command.
    fix:
      isEdit || !fix.command
        ? fix.summary
        : `${fix.summary}: ${printedCommand(fix.command, place)}`,
    ...picked(fix, 'choice'),
    ...(fix.choices && { choices: summariesOf(fix.choices) }),
    ...(writer && { writer }),
  };
}

function summariesOf(
  choices: NonNullable<ReferenceFix['choices']>,
): NonNullable<InvalidReference['choices']> {
  return Object.fromEntries(
    Object.entries(choices).map(([choice, { summary }]) => [choice, summary]),
  );
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
  return [...judgementsIn(graph)].flatMap(([record, { references }]) => {
    if (!scope(record)) return [];
    return references.flatMap(({ class: cls, reference, because }) =>
      cls === 'unknown' ? [{ object: referenceTo(record), reference, because }] : [],
    );
  });
}

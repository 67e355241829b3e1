import type { Judgement } from '../../controllers/garbage-collector/judge.ts';
import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { apiVersionOf, groupResourceOf } from '../../kube/resource-type.ts';
import type {
  ClassifiedReference,
  ReferenceClass,
} from '../../snapshot/graph/classify-reference.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import type { AuditFinding, Fix, Severity } from './audit-rule.ts';

/**
 * What the garbage collector does because of a wrong reference; the words are part of the
 * documents' contract.
 */
export type Consequence =
  | 'deleted on the next pass'
  | 'reference removed'
  | 'kept only by another owner'
  | 'never collected'
  | 'blocks a foreground deletion for ever'
  | 'already being deleted'
  | 'unknown because an API could not be read'
  | 'none';

/** One change to one entry of metadata.ownerReferences, by its index there. */
export interface ReferenceEdit {
  readonly index: number;
  /** Undefined removes the entry. */
  readonly to: OwnerReference | undefined;
}

/** What may be meant to become of an object whose owner is gone. */
export const ownerChoices = ['let-go', 'keep', 'relink'] as const;
export type OwnerChoice = (typeof ownerChoices)[number];

/** What is done to the references of an object, and what that means in words. */
interface EditedReferences {
  readonly summary: string;
  readonly edits: readonly ReferenceEdit[];
}

/** The fix: edits of the object itself where that is possible, and what they mean in words. */
export interface ReferenceFix extends Fix, EditedReferences {
  /** Where only the user knows what is meant: which of `choices` the edits are. */
  readonly choice?: OwnerChoice;
  readonly choices?: Readonly<Partial<Record<OwnerChoice, EditedReferences>>>;
}

/** A finding about one wrong reference, or about one object in a wrong relation. */
export interface Finding extends Omit<AuditFinding, 'fingerprint' | 'fix'> {
  readonly consequences: readonly Consequence[];
  readonly fix: ReferenceFix;
}

/** One object with owner references, as rules see it. */
export interface Subject {
  readonly graph: Graph;
  readonly record: ObjectRecord;
  readonly judgement: Judgement;
}

/** What a rule reports; `audit` fills in the rest. */
export interface Violation {
  /** Index in metadata.ownerReferences; undefined when it is about the object as a whole. */
  readonly index?: number;
  readonly message: string;
  readonly fix: ReferenceFix;
  /** Set when the judgement of the object says less than the rule knows. */
  readonly consequences?: readonly Consequence[];
  readonly kubernetesRule?: string;
  /** Harm beside the consequences. */
  readonly severity?: Severity;
}

/** A class of wrong references. Its id is its file, its test and its page. */
export interface Rule {
  readonly id: string;
  readonly title: string;
  /** What to do about what it finds: how the section on its page begins. */
  readonly advice: string;
  /**
   * Looks at one object that has owner references, or (`unowned`) at one that has none. What `judgementsIn`
   * leaves out is not looked at.
   */
  check?(subject: Subject): Violation[];
  checkUnowned?(graph: Graph, record: ObjectRecord): Violation[];
  /** Looks at the graph as a whole. */
  checkGraph?(graph: Graph): { readonly record: ObjectRecord; readonly violation: Violation }[];
}

/** Removing the entry lets the object live on without that owner. */
export function removal(index: number, summary: string): ReferenceFix {
  return { summary, edits: [{ index, to: undefined }] };
}

/** Calls `violation` for each reference of a subject that one lookup outcome led to. */
export function forEachReference(
  subject: Subject,
  violation: (classified: ClassifiedReference, index: number) => Violation | undefined,
): Violation[] {
  return subject.judgement.references.flatMap((classified, index) => {
    const found = violation(classified, index);
    return found ? [{ index, ...found }] : [];
  });
}

/** In which coordinate a dangling reference differs from the object that does have its uid. */
interface TrueOwner {
  readonly owner: ObjectRecord;
  readonly differs: 'namespace' | 'kind' | 'name';
}

/** The object with the reference's uid, when the reference's other fields lead elsewhere (GC-28). */
export function trueOwner(
  { graph, record }: Subject,
  { class: cls, reference }: ClassifiedReference,
): TrueOwner | undefined {
  if (cls !== 'dangling') return undefined;
  const owner = graph.withUid(reference.uid);
  if (!owner) return undefined;
  // A cluster-scoped object has no namespace that could differ; only the reference's kind misleads.
  if (record.type.namespaced && owner.type.namespaced && owner.namespace !== record.namespace) {
    return { owner, differs: 'namespace' };
  }
  const mapping = graph.snapshot.types.mapKind(reference.apiVersion, reference.kind);
  const sameKind =
    mapping.kind === 'served' && groupResourceOf(mapping.type) === groupResourceOf(owner.type);
  return { owner, differs: sameKind ? 'name' : 'kind' };
}

/** Names the object with the reference's uid as it is; undefined when there is none that could own this one. */
export function pointAtOwner(
  { graph, record }: Subject,
  reference: OwnerReference,
  index: number,
): ReferenceFix | undefined {
  const owner = graph.withUid(reference.uid);
  if (!owner || (owner.type.namespaced && owner.namespace !== record.namespace)) return undefined;
  const { name, type } = owner;
  const to = { ...reference, apiVersion: apiVersionOf(type), kind: type.kind, name };
  return { summary: `name the owner as ${describe(owner)}`, edits: [{ index, to }] };
}

/** `apps/v1 Deployment shop/web`. */
export function describe(record: ObjectRecord): string {
  const where = record.namespace === '' ? '' : `${record.namespace}/`;
  return `${apiVersionOf(record.type)} ${record.type.kind} ${where}${record.name}`;
}

const best: readonly ReferenceClass[] = ['solid', 'waiting', 'unknown'];

/** Of several references only one of which can stay, the index of the one that does most for the object. */
export function keeperOf(
  indexes: readonly number[],
  references: readonly ClassifiedReference[],
): number | undefined {
  for (const cls of best) {
    const index = indexes.find((candidate) => references[candidate]?.class === cls);
    if (index !== undefined) return index;
  }
  return indexes[0];
}

import { type Judgement, judgementsIn } from '../../controllers/garbage-collector/judge.ts';
import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { fullNameOf } from '../../kube/object-reference.ts';
import { apiVersionOf, isMonitored } from '../../kube/resource-type.ts';
import type {
  ClassifiedReference,
  ReferenceClass,
} from '../../snapshot/graph/classify-reference.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import { invalidReferencesCommandOf } from '../../why/fix-request.ts';
import {
  type Finding,
  type Fix,
  type Rule,
  type Severity,
  severities,
  type Violation,
} from '../rule.ts';

/** What the garbage collector does because of a wrong reference. */
export type Consequence =
  | 'deleted'
  | 'reference-removed'
  | 'kept-by-another-owner'
  | 'never-collected'
  | 'blocks-foreground-deletion'
  | 'being-deleted'
  | 'unknown'
  | 'none';

/** The words of each in documents. */
export const publishedConsequences = {
  deleted: 'deleted on the next pass',
  'reference-removed': 'reference removed',
  'kept-by-another-owner': 'kept only by another owner',
  'never-collected': 'never collected',
  'blocks-foreground-deletion': 'blocks a foreground deletion for ever',
  'being-deleted': 'already being deleted',
  unknown: 'unknown because an API could not be read',
  none: 'none',
} as const satisfies Readonly<Record<Consequence, string>>;

/** What the garbage collector does because of a wrong reference; the words are part of the documents' contract. */
export type PublishedConsequence = (typeof publishedConsequences)[Consequence];

/** One change to one entry of metadata.ownerReferences, by its index there. */
export interface ReferenceEdit {
  readonly index: number;
  /** Undefined removes the entry. */
  readonly to: OwnerReference | undefined;
}

/** What the user may want for an object whose owner does not exist. */
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

export interface ReferenceViolation extends Violation {
  readonly severity: Severity;
  readonly consequences: readonly Consequence[];
  readonly fix: ReferenceFix;
}

export type ReferenceFinding = Finding & ReferenceViolation;

/** Where something is wrong; what there is to say of it takes longer to find. */
export interface FoundReference {
  readonly object: ObjectRecord;
  /** Undefined where it is about the object as a whole. */
  readonly reference: OwnerReference | undefined;
  violation(): ReferenceViolation;
}

/** A class of wrong references. */
export interface ReferenceRule extends Rule {
  find(graph: Graph): FoundReference[];
  check(view: { readonly graph: Graph }): ReferenceViolation[];
}

type RuleParts = Omit<ReferenceRule, 'id' | 'title' | 'advice'>;

const aboutReferences = {
  severity: 'depends',
  consequence:
    'what the garbage collector does with the object: deleted, kept by another owner, or never collected; the severity follows from that',
} as const;

/** One object with owner references, as rules see it. */
export interface Subject {
  readonly graph: Graph;
  readonly record: ObjectRecord;
  readonly judgement: Judgement;
}

/** What is wrong; the rest follows from the judgement of the object. */
export interface Fault {
  readonly message: string;
  readonly fix: ReferenceFix;
  /** Set when the judgement of the object says less than the rule knows. */
  readonly consequences?: readonly Consequence[];
  readonly kubernetesRule?: string;
  /** Harm beside the consequences. */
  readonly severity?: Severity;
}

/** `index`: of the wrong reference; undefined when the fault is about the object as a whole. */
interface FaultAt {
  readonly index?: number;
  readonly fault: () => Fault;
}

type FaultOfReference = (
  subject: Subject,
  classified: ClassifiedReference,
  index: number,
) => (() => Fault) | undefined;

/** The parts of a rule that finds wrong references like this. */
export function foundBy(find: ReferenceRule['find']): RuleParts {
  const check: ReferenceRule['check'] = ({ graph }) => find(graph).map((one) => one.violation());
  return { ...aboutReferences, find, check };
}

/** The parts of a rule that looks at each object whose references the garbage collector judges: see `judgementsIn`. */
export function eachOwned(faultsOf: (subject: Subject) => readonly FaultAt[]): RuleParts {
  return foundBy((graph) =>
    [...judgementsIn(graph)].flatMap(([record, judgement]) =>
      faultsOf({ graph, record, judgement }).map(({ index, fault }) =>
        foundIn(graph, record, fault, judgement, index),
      ),
    ),
  );
}

/** The parts of a rule that looks at each reference of each of these objects. */
export function eachReference(faultOf: FaultOfReference): RuleParts {
  return eachOwned((subject) =>
    subject.judgement.references.flatMap((classified, index) => {
      const fault = faultOf(subject, classified, index);
      return fault ? [{ index, fault }] : [];
    }),
  );
}

export function foundIn(
  graph: Graph,
  object: ObjectRecord,
  faultOf: () => Fault,
  judgement?: Judgement,
  index?: number,
): FoundReference {
  const reference = index === undefined ? undefined : object.ownerReferences[index];
  const violation = () => violationOf(graph, { object, reference }, faultOf(), judgement, index);
  return { object, reference, violation };
}

/** The violation with what the garbage collector does because of it. */
function violationOf(
  graph: Graph,
  { object, reference }: Pick<FoundReference, 'object' | 'reference'>,
  { message, fix, severity, kubernetesRule, ...fault }: Fault,
  judgement: Judgement | undefined,
  index: number | undefined,
): ReferenceViolation {
  const consequences =
    fault.consequences ?? (judgement ? consequencesOf(graph, judgement, index) : ['none' as const]);
  const isOffered = fix.edits.length > 0 || fix.choices !== undefined;
  return {
    object,
    reference,
    message,
    severity: severityOf(consequences, severity),
    consequences,
    consequence: consequences.map((one) => publishedConsequences[one]).join(', '),
    related: relatedTo(graph, object, reference, fix.edits),
    fix: isOffered ? { ...fix, command: invalidReferencesCommandOf(object, '--fix') } : fix,
    kubernetesRule: kubernetesRule ?? judgement?.rule ?? '',
  };
}

function consequencesOf(
  graph: Graph,
  judgement: Judgement,
  index: number | undefined,
): readonly Consequence[] {
  const wrong = index === undefined ? undefined : judgement.references[index];
  const action = actionConsequence(judgement, wrong?.class);
  return judgement.action === 'frozen' && blocksAnOwner(graph, judgement)
    ? [action, 'blocks-foreground-deletion']
    : [action];
}

/** Blocking goes by uid, so also through a reference that is not honoured (GC-5, GC-43). */
function blocksAnOwner(graph: Graph, { references }: Judgement): boolean {
  return references.some(({ reference: { uid, blockOwnerDeletion } }) => {
    const owner = blockOwnerDeletion === true ? graph.withUid(uid) : undefined;
    return owner !== undefined && isMonitored(owner.type);
  });
}

function actionConsequence(
  { action, references }: Judgement,
  wrong: string | undefined,
): Consequence {
  switch (action) {
    case 'delete':
      return 'deleted';
    case 'patch':
      return wrong === 'solid' ? 'none' : 'reference-removed';
    case 'frozen':
    case 'ignored':
      return 'never-collected';
    case 'terminating':
      return 'being-deleted';
    case 'unknown':
      return references.some(({ class: cls }) => cls === 'solid')
        ? 'kept-by-another-owner'
        : 'unknown';
    default:
      return 'none';
  }
}

const bySeverity: Readonly<Record<Consequence, Severity>> = {
  deleted: 'error',
  'blocks-foreground-deletion': 'error',
  'reference-removed': 'warning',
  'kept-by-another-owner': 'warning',
  'never-collected': 'warning',
  'being-deleted': 'info',
  unknown: 'info',
  none: 'info',
};

/** How bad a finding is follows from what the garbage collector does. */
function severityOf(consequences: readonly Consequence[], least: Severity = 'info'): Severity {
  const all = [least, ...consequences.map((consequence) => bySeverity[consequence])];
  return severities.find((severity) => all.includes(severity)) ?? least;
}

/** What has the uid that the reference names, and what has its name. */
function relatedTo(
  { withUid }: Graph,
  object: ObjectRecord,
  reference: OwnerReference | undefined,
  edits: readonly ReferenceEdit[],
): ObjectRecord[] {
  const uids = [reference?.uid, ...edits.map(({ to }) => to?.uid)];
  const owners = uids.flatMap((uid) => (uid === undefined ? [] : (withUid(uid) ?? [])));
  return [...new Set(owners)].filter((owner) => owner !== object);
}

/** Removing the entry lets the object live on without that owner. */
export function removal(index: number, summary: string): ReferenceFix {
  return { summary, edits: [{ index, to: undefined }] };
}

/** Names the object with the reference's uid as it is; where there is none that could own this one, removes the entry. */
export function correction(
  { graph, record }: Subject,
  reference: OwnerReference,
  index: number,
  removing: string,
): ReferenceFix {
  const owner = graph.withUid(reference.uid);
  if (!owner || (owner.type.namespaced && owner.namespace !== record.namespace)) {
    return removal(index, removing);
  }
  const { name, type } = owner;
  const to = { ...reference, apiVersion: apiVersionOf(type), kind: type.kind, name };
  return { summary: `name the owner as ${describe(owner)}`, edits: [{ index, to }] };
}

/** `apps/v1 Deployment shop/web`. */
export function describe(record: ObjectRecord): string {
  return `${apiVersionOf(record.type)} ${fullNameOf(record)}`;
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

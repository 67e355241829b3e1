import {
  isBeingDeleted,
  type ObjectRecord,
  type OwnerReference,
} from '../../kube/object-record.ts';
import { apiVersionOf, groupResourceOf, parseApiVersion } from '../../kube/resource-type.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import type { ClassifiedReference } from '../../snapshot/graph/classify-reference.ts';
import {
  type OwnerChoice,
  ownerChoices,
  type ReferenceFinding,
  type ReferenceFix,
  removal,
  type Subject,
} from './reference-findings.ts';

/**
 * The fixes for a reference to an owner that does not exist. Only the user knows whether the object is garbage. By default
 * the garbage collector may delete it; if an owner of that name exists, the object gets a reference to it. If another owner
 * exists, the reference has no effect and is removed.
 */
export function fixOfGoneOwner(
  subject: Subject,
  { reference, found }: ClassifiedReference,
  index: number,
): ReferenceFix {
  const { record, judgement } = subject;
  if (judgement.action === 'terminating') {
    const summary = 'none: it is being deleted already, and that cannot be undone';
    return { summary, edits: [] };
  }
  const owner = found ?? namesake(subject, reference);
  const relink = owner && !isBeingDeleted(owner) ? relinked(reference, owner, index) : undefined;
  if (judgement.references.some(({ class: cls }) => cls === 'solid')) {
    const surplus = removal(index, 'remove the reference; another owner keeps the object');
    return found && relink ? relink : surplus;
  }
  const choices = {
    'let-go': { summary: consequenceInWords(subject), edits: [] },
    keep: removal(index, `remove the reference; ${aloneOf(record, reference)}`),
    ...(relink && { relink }),
  };
  if (found && relink) return { ...relink, choice: 'relink', choices };
  const offered = ownerChoices.filter((choice) => choices[choice]);
  const summary = offered.map((choice) => choiceInWords(choice, choices)).join('; or ');
  return { summary, edits: [], choice: 'let-go', choices };
}

/** The same findings with the edits of what the user chose, where that can be done. */
export function withChoice(
  finding: ReferenceFinding,
  choice: OwnerChoice | undefined,
): ReferenceFinding {
  const { fix } = finding;
  if (choice === undefined || !fix.choices) return finding;
  const { edits, choice: chosen } = fix.choices[choice]
    ? { ...fix.choices[choice], choice }
    : { edits: [], choice: 'let-go' as const };
  return { ...finding, fix: { ...fix, edits, choice: chosen } };
}

const choiceWords: Readonly<Record<OwnerChoice, string>> = {
  'let-go': 'allow its deletion',
  keep: 'keep it',
  relink: 're-link it',
};

/** `keep it: remove the reference; it then stays until it is deleted manually`. */
export function choiceInWords(choice: OwnerChoice, choices: ReferenceFix['choices']): string {
  return `${choiceWords[choice]}: ${choices?.[choice]?.summary ?? ''}`;
}

/** What becomes of the object when nothing is done. */
function consequenceInWords({ judgement: { action, because } }: Subject): string {
  switch (action) {
    case 'delete':
      return 'the garbage collector deletes it';
    case 'frozen':
      return 'it stays as long as another of its references cannot be looked up';
    case 'ignored':
      return `it stays: ${because}`;
    default:
      return 'the garbage collector deletes it if its other owners do not exist, which was not read';
  }
}

/** What becomes of the object without the reference. */
function aloneOf(record: ObjectRecord, { kind, controller }: OwnerReference): string {
  const stays = 'it then remains until someone deletes it';
  if (!isPod(record)) return controller === true ? `${stays}, and nothing manages it` : stays;
  return `${stays}, and nothing manages it: no ${kind} replaces it when it fails or its node goes, unless one with a matching selector adopts it`;
}

/** An object of the owner's kind and name in another API group. */
function namesake(
  { graph, record }: Subject,
  { kind, name }: OwnerReference,
): ObjectRecord | undefined {
  for (const type of graph.snapshot.types.all) {
    if (type.kind !== kind || (type.namespaced && !record.type.namespaced)) continue;
    const owner = graph.at(type, type.namespaced ? record.namespace : '', name);
    if (owner && owner !== record && owner.uid !== '') return owner;
  }
  return undefined;
}

function relinked(reference: OwnerReference, owner: ObjectRecord, index: number) {
  const { type, uid } = owner;
  const isSameGroup = parseApiVersion(reference.apiVersion)?.group === type.group;
  const apiVersion = isSameGroup ? reference.apiVersion : apiVersionOf(type);
  const kind = isSameGroup ? type.kind : groupResourceOf(type);
  return {
    summary: `point the reference at the ${kind} that exists now (uid ${uid})`,
    edits: [{ index, to: { ...reference, apiVersion, uid } }],
  };
}

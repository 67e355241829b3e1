import type { PublishedConsequence } from '../../src/audit/rules/reference-findings.ts';
import { referenceRules } from '../../src/audit/rules/reference-rules.ts';
import {
  type Action,
  classifiedReferences,
} from '../../src/controllers/garbage-collector/judge.ts';
import type { Fate, PlannedObject } from '../../src/deletion/plan/plan.ts';
import { isBeingDeleted, type ObjectRecord, ORPHAN } from '../../src/kube/object-record.ts';
import type { ObjectReference } from '../../src/kube/object-reference.ts';
import { isEventType } from '../../src/kube/resource-type.ts';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import { isOpen } from '../../src/questions/forecast/when.ts';
import type { GcVerdict } from '../../src/questions/owners/document.ts';
import type { Diagnosed } from '../../src/questions/why/document.ts';
import type { UnendedDeletion } from '../../src/questions/why/stuck-document.ts';
import { validateNew } from '../../src/simulator/api-server/validation.ts';
import { buildGraph, type Graph } from '../../src/snapshot/graph/graph.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { type Cause, type DiagnosisState, linksOf } from '../../src/why/chain.ts';
import { type Answers, answersFrom, type Preview, plainIn } from './answers.ts';

/** What `orphans` says the garbage collector does, and what `why` then calls the object. */
const statesOfAction: Readonly<Record<Action, readonly DiagnosisState[]>> = {
  delete: ['collectable', 'overdue', 'stuck'],
  patch: ['alive'],
  keep: ['alive'],
  frozen: ['alive'],
  // Where no garbage collector runs, garbage is stuck.
  ignored: ['alive', 'stuck'],
  unowned: ['alive'],
  unknown: ['unknown'],
  terminating: ['stuck', 'progressing', 'unknown'],
};

const ending: readonly DiagnosisState[] = ['stuck', 'progressing', 'unknown'];

/** The same for what `invalid-ownerrefs` says comes of a reference. */
const statesOfConsequence: Readonly<Record<PublishedConsequence, readonly DiagnosisState[]>> = {
  'deleted on the next pass': ['collectable', 'overdue', 'stuck'],
  'reference removed': ['alive'],
  // By an owner of a kind that was not read, or by one that is there.
  'kept only by another owner': ['alive', 'unknown'],
  'already being deleted': ending,
  'unknown because an API could not be read': ['unknown'],
  // What is being deleted is not collected either.
  'never collected': ['alive', ...ending],
  'blocks a foreground deletion for ever': ['alive', ...ending],
  none: ['alive', 'collectable', ...ending],
};

/** What a preview may say comes of an object that is being deleted already. */
const fatesOfDeletion: Partial<Record<DiagnosisState, readonly Fate[]>> = {
  stuck: ['terminating', 'unknown'],
  progressing: ['terminating', 'deleted', 'recreated', 'unknown'],
  unknown: ['terminating', 'unknown'],
};

/** And of a live one that was not named: a deletion elsewhere does not save what is garbage. */
const fatesOfLife: Partial<Record<DiagnosisState, readonly Fate[]>> = {
  collectable: ['deleted', 'recreated', 'terminating', 'unknown'],
  overdue: ['deleted', 'recreated', 'terminating', 'unknown'],
  alive: ['deleted', 'orphaned', 'kept', 'terminating', 'recreated', 'unknown'],
  // Garbage whose deletion the API server refuses is kept.
  stuck: ['deleted', 'kept', 'terminating', 'unknown'],
  unknown: ['unknown', 'kept', 'terminating'],
};

/**
 * What a running controller or kubelet ends by itself, and has not, or of which it is unknown whether it runs. A preview
 * counts that as going, since it may: the numbers of a preview are upper bounds.
 */
const overdue: ReadonlySet<Cause> = new Set([
  'foreground-lost',
  'orphaning',
  'orphaning-lost',
  'dependent-not-collected',
  'object-left',
  'claim-unused',
  'volume-unbound',
  'job-tracking',
  'no-instances-left',
  'namespace-empty',
  'node-gone',
  'pod-kubelet',
  'controller-manager-unknown',
]);

interface Said extends Answers {
  readonly graph: Graph;
  /** The objects that are compared. */
  readonly plain: readonly ObjectRecord[];
  readonly byUid: ReadonlyMap<string, ObjectRecord>;
  readonly differ: (object: ObjectReference, what: string, said: Diagnosed) => void;
}

/**
 * What two commands say differently about one object: states and codes of reasons (a rule, a cause, a finalizer) are
 * compared with those of `why`. `previews`: the maximum number of objects whose deletion is previewed. `isSimulated`: what
 * controllers do within an hour is played, too, which takes as long as all else.
 */
export function contradictionsIn(
  snapshot: Snapshot,
  previews: number,
  isSimulated = false,
): string[] {
  return contradictionsAmong(answersFrom(snapshot, previews, isSimulated));
}

export function contradictionsAmong(answers: Answers): string[] {
  const { snapshot } = answers;
  const plain = plainIn(snapshot);
  const found: string[] = [];
  const said: Said = {
    ...answers,
    graph: buildGraph(snapshot),
    plain,
    byUid: new Map(plain.map((record) => [record.uid, record])),
    differ: ({ namespace, kind, name }, what, { state, chain, blockers }) => {
      const causes = blockers.map(({ cause }) => cause).join(', ');
      found.push(`${namespace} ${kind}/${name}: ${what}; why: ${state} (${chain.rule}), ${causes}`);
    },
  };
  compareOrphans(said);
  compareNodes(said);
  compareReferences(said);
  compareAudit(said);
  compareForecast(said);
  compareSimulation(said);
  compareDeletions(said);
  found.push(...differencesOfStatus(said), ...differencesOfAudit(said), ...differencesOfPods(said));
  for (const preview of said.previews)
    for (const object of preview.objects) comparePreview(said, object, preview);
  return found;
}

/**
 * `why` asks for owners alone, and not for the dependents by which a deletion becomes one in the foreground (GC-22.12); of an
 * object that has no owner it says who took it away (GC-55), and which Node is gone (LEASE-3).
 */
function codeOf(rule: string): string {
  const ofOwners = { 'GC-22.12': 'GC-22.13', 'GC-55': 'GC-22.8', 'LEASE-3': 'GC-22.8' };
  return new Map(Object.entries(ofOwners)).get(rule) ?? rule;
}

function compareOrphans(said: Said): void {
  for (const { object, gc } of said.orphans) compareVerdict(said, 'orphans', object, gc);
}

function compareNodes(said: Said): void {
  for (const node of said.nodes) if (node.gc) compareVerdict(said, 'tree', node, node.gc);
  for (const node of said.owners) if (node.gc) compareVerdict(said, 'owners', node, node.gc);
}

/** What a command says that the garbage collector does with an object, looking once. */
function compareVerdict(
  { byUid, why, differ }: Said,
  command: string,
  object: ObjectReference,
  gc: GcVerdict,
): void {
  const record = byUid.get(object.uid);
  const said = record && why(record);
  if (said) {
    // What the garbage collector does not watch may be being deleted all the same.
    const action =
      /^(ignored|unowned)$/.test(gc.action) && isBeingDeleted(record) ? 'terminating' : gc.action;
    const isSame =
      statesOfAction[action].includes(said.state) &&
      (action === 'terminating' ||
        gc.rule === 'GC-78' ||
        codeOf(said.chain.rule) === codeOf(gc.rule));
    if (!isSame) differ(object, `${command}: ${gc.action} (${gc.rule}), ${gc.because}`, said);
  }
}

function compareReferences({ references, byUid, why, differ }: Said): void {
  for (const { object, consequences } of references) {
    const record = byUid.get(object.uid);
    const said = record && why(record);
    for (const consequence of said ? consequences : []) {
      if (said && !statesOfConsequence[consequence].includes(said.state)) {
        differ(said.object, `invalid-ownerrefs: ${consequence}`, said);
      }
    }
  }
}

/** A ring of owners is reported by the rules about rings, so that its deletion does not end is not said a second time. */
function compareAudit({ findings, now, plain, why, differ }: Said): void {
  const reported = new Map(
    findings.filter(({ rule }) => rule === 'stuck-object').map((one) => [one.object.uid, one]),
  );
  for (const record of plain.filter(isBeingDeleted)) {
    const said = why(record);
    if (!said) continue;
    const finding = reported.get(record.uid);
    const isRing = said.blockers.every(({ cause }) => /^(self-owner|ownership-ring)$/.test(cause));
    if (finding) {
      const severity = said.state === 'stuck' ? 'error' : 'warning';
      const isSame =
        finding.severity === severity &&
        (said.state === 'progressing' || finding.cause === said.blockers[0]?.cause);
      if (!isSame) {
        differ(said.object, `audit: ${finding.severity}, ${finding.cause}`, said);
      }
    } else if (said.state === 'stuck' || said.state === 'unknown') {
      const isDue = now - Date.parse(record.deletionTimestamp ?? '') >= 60_000;
      if (isDue && !isRing) differ(said.object, 'audit: nothing', said);
    }
  }
}

/**
 * What is left out, and why: what names the uid of an owner that orphans its dependents is judged by one worker of the
 * garbage collector while another orphans it. While an owner is deleted in the foreground, a forecast plays what follows
 * of it, and `why` says what is next, but for Events, which the garbage collector does not watch.
 */
function compareForecast({ forecast, graph, plain, byUid, why, differ }: Said): void {
  const undecided = new Set(
    [...forecast.undetermined, ...forecast.unknown].map(({ object }) => object.uid),
  );
  const collected = new Map(
    forecast.items
      .filter(({ collector, action }) => collector === 'garbage-collector' && action === 'delete')
      .map(({ object, rule }) => [object.uid, rule]),
  );
  const deletedElsewhere = new Set(
    forecast.items
      .filter(({ collector, action }) => collector !== 'garbage-collector' && action === 'delete')
      .map(({ object }) => object.uid),
  );
  compareEnds(forecast, byUid, why, differ);
  for (const record of plain) {
    if (isBeingDeleted(record) || undecided.has(record.uid)) continue;
    if (record.ownerReferences.some(({ uid }) => isOrphaning(byUid.get(uid)))) continue;
    const references = classifiedReferences(graph, record);
    const isWaiting = (reference: (typeof references)[number]) =>
      reference.class === 'waiting' && !(reference.found && isEventType(reference.found.type));
    if (references.some(isWaiting)) continue;
    const said = why(record);
    if (said?.state !== 'collectable') continue;
    // Another controller may be there first.
    if (deletedElsewhere.has(record.uid)) continue;
    const rule = collected.get(record.uid);
    if (codeOf(rule ?? '') !== codeOf(said.chain.rule ?? ''))
      differ(said.object, `forecast: ${rule ?? 'not collected'}`, said);
  }
}

/** Those that decide by all workloads and pods of a namespace, for which `why` does not ask. */
const notAsked: readonly string[] = ['garbage-collector', 'adoption', 'statefulset-pvc-retention'];

/** What the other controllers begin to delete, `why` says too, or that it could not be read. */
function compareEnds(
  { items }: ForecastReport,
  byUid: Said['byUid'],
  why: Said['why'],
  differ: Said['differ'],
): void {
  const told = new Set<string>();
  for (const { object, action, follows, collector, rule } of items) {
    const record = byUid.get(object.uid);
    if (follows) told.add(object.uid);
    if (!record || action !== 'delete' || isBeingDeleted(record) || told.has(object.uid)) continue;
    told.add(object.uid);
    if (notAsked.includes(collector) || rule.startsWith('ADOPT')) continue;
    const said = why(record);
    if (!said) continue;
    const isSaid = linksOf(said.chain).some(
      (one) => one.object.uid === record.uid && ['waiting', 'unknown'].includes(one.state),
    );
    if (!isSaid) differ(object, `forecast: ${collector} deletes it (${rule})`, said);
  }
}

/**
 * What controllers do by themselves within an hour, `simulate` plays and `why` explains: what is stuck is still there, what
 * is to be collected is not, and what lives on stays as it is. Which workload adopts a Pod `why` does not ask.
 */
function compareSimulation({ simulated, forecast, plain, why, differ }: Said): void {
  if (!simulated) return;
  const adopted = forecast.items.filter(({ rule }) => rule.startsWith('ADOPT'));
  const open = new Set(
    [...simulated.undetermined, ...simulated.unknown, ...adopted].map(({ object }) => object.uid),
  );
  const left = new Map(simulated.objects.map(({ metadata }) => [metadata.uid, metadata]));
  for (const record of plain) {
    const said = open.has(record.uid) ? undefined : why(record);
    if (!said) continue;
    const found = left.get(record.uid);
    const end = !found ? 'deleted' : found.deletionTimestamp ? 'being deleted' : 'stays';
    const isMoving = linksOf(said.chain).some(({ state }) => /^(waiting|unknown)$/.test(state));
    const isOverdue = said.blockers.every(({ cause }) => overdue.has(cause));
    const isSame =
      said.state === 'stuck'
        ? end !== 'deleted' || isOverdue
        : said.state === 'collectable'
          ? end !== 'stays'
          : said.state !== 'alive' || end === 'stays' || isMoving;
    if (!isSame) differ(said.object, `simulate: ${end}`, said);
  }
}

/** `podgc-preview` lists what `forecast` says of pod garbage collection, by the same rule and with the same times. */
function differencesOfPods({ forecast, deletedPods, byUid }: Said): string[] {
  const deletions = forecast.items.filter(({ action }) => action === 'delete');
  const refused = new Set(forecast.items.flatMap((one) => (one.refused ? one.object.uid : [])));
  return deletedPods.flatMap(({ object, rule, notBefore, notAfter = '', confidence }) => {
    const others = deletions.filter((one) => one.object.uid === object.uid);
    const same = others.find((one) => one.rule === rule);
    const record = byUid.get(object.uid);
    // Another controller may be there first, and a pass only changes what is being deleted already.
    // No API server stores what it refuses, so a pass could not mark such a pod as failed.
    const isStorable = record && validateNew(record).length === 0;
    const isElsewhere = !same && (others.length > 0 || !isStorable || isBeingDeleted(record));
    if (isElsewhere || refused.has(object.uid) || confidence === 'unknown') return [];
    const isSame =
      same &&
      same.notBefore <= (notAfter || same.notBefore) &&
      notBefore <= (same.notAfter ?? notBefore);
    return isSame
      ? []
      : [
          `${object.name}: podgc-preview: ${rule}, ${notBefore}, ${notAfter}; forecast: ${same?.rule}, ${same?.notBefore}, ${same?.notAfter}`,
        ];
  });
}

/** `status` counts what the other commands list. */
function differencesOfStatus({ status, deletions, references, forecast, why, byUid }: Said) {
  const ofState = (state: DiagnosisState) => deletions.filter((one) => one.state === state).length;
  const stuck = new Set(
    deletions.flatMap(({ state, object }) => (state === 'stuck' ? object.uid : [])),
  );
  const due = new Set(
    forecast.items.flatMap((item) =>
      item.refused || isOpen(item) || stuck.has(item.object.uid) ? [] : item.object.uid,
    ),
  );
  const counts: Readonly<Record<string, readonly [said: number, listed: number]>> = {
    'deletions.stuck': [status.deletions.stuck, ofState('stuck')],
    'deletions.unknown': [status.deletions.unknown, ofState('unknown')],
    'deletions.progressing': [status.deletions.progressing, ofState('progressing')],
    'references.total': [status.references.total, references.length],
    'due.total': [status.due.total, due.size],
  };
  const found = Object.entries(counts).flatMap(([name, [said, listed]]) =>
    said === listed ? [] : `status: ${name} is ${said}, listed are ${listed}`,
  );
  const unended = [...byUid.values()].filter((record) => isBeingDeleted(record));
  const isWrong = unended.some((record) => why(record)?.state === 'stuck') || references.length > 0;
  if (isWrong !== (status.verdict === 'wrong')) found.push(`status: ${status.verdict}`);
  return found;
}

/** `audit` finds the same references as `invalid-ownerrefs`. */
function differencesOfAudit({ findings, references }: Said): string[] {
  const rules = new Set<string>(referenceRules.map(({ id }) => id));
  const listed = references.map((one) => `${one.class} ${one.object.uid}`);
  const reported = findings
    .filter(({ rule }) => rules.has(rule))
    .map(({ rule, object }) => `${rule} ${object.uid}`);
  const alone = (who: string, mine: readonly string[], theirs: readonly string[]) =>
    mine.filter((one) => !theirs.includes(one)).map((one) => `${who} alone: ${one}`);
  return [...alone('invalid-ownerrefs', listed, reported), ...alone('audit', reported, listed)];
}

function isOrphaning(owner: ObjectRecord | undefined): boolean {
  return owner !== undefined && isBeingDeleted(owner) && owner.finalizers.includes(ORPHAN);
}

/** `why -A` lists what is being deleted, as `why` explains each. */
function compareDeletions({ deletions, plain, why, differ }: Said): void {
  const listed = new Map(deletions.map((one) => [one.object.uid, one]));
  for (const record of plain.filter(isBeingDeleted)) {
    const said = why(record);
    const found = listed.get(record.uid);
    const causes = (one: Pick<UnendedDeletion, 'blockers'>) =>
      one.blockers.map(({ cause }) => cause).join();
    if (!said || (found?.state === said.state && causes(found) === causes(said))) continue;
    differ(said.object, `why -A: ${found?.state ?? 'not listed'}, ${found && causes(found)}`, said);
  }
}

function comparePreview(
  { byUid, why, differ }: Said,
  planned: PlannedObject,
  { target, objects }: Preview,
): void {
  const record = byUid.get(planned.uid);
  const said = record && why(record);
  if (!said) return;
  const isEnding = isBeingDeleted(record);
  if (!isEnding && record === target) return;
  const fates = (isEnding ? fatesOfDeletion : fatesOfLife)[said.state] ?? [];
  const tell = (what: string) =>
    differ(said.object, `preview of ${target.type.kind}/${target.name}: ${what}`, said);
  // A request decides which finalizers of the garbage collector are on what it deletes, and so do those of a namespace.
  const isRequested = record === target || planned.rule === 'GC-72';
  if (isRequested && /foregroundDeletion|orphan/.test(record.finalizers.join())) return;
  // Pods are deleted with their Node, and content with its namespace, whatever becomes of their owners.
  if (said.state === 'unknown' && !isEnding && /^(PG-|GC-72$)/.test(planned.rule)) return;
  // The deletion may free it of what holds it.
  const going = new Set(objects.filter(({ fate }) => fate === 'deleted').map(({ uid }) => uid));
  const isFreed = linksOf(said.chain).some(
    ({ object }) => object.uid !== record.uid && going.has(object.uid),
  );
  // What the garbage collector orphans need not be known for the orphaning to end.
  const orphaning = said.chain.links
    .filter(({ finalizer }) => finalizer === ORPHAN)
    .flatMap(linksOf)
    .map(({ because }) => because);
  const isOverdue = said.blockers.every(
    ({ cause, because }) => overdue.has(cause) || orphaning.includes(because),
  );
  if (planned.fate === 'deleted' && isOverdue) return;
  // A plan counts as deleted also what may wait for dependents of kinds that were not read.
  const isUnread = linksOf(said.chain).some(({ cause }) => cause === 'foreground-unread');
  if (planned.fate === 'deleted' && isEnding && isUnread) return;
  if (!fates.includes(planned.fate) && !isFreed) {
    tell(`${planned.fate} (${planned.rule}), ${planned.because}`);
  }
  // A request may set the finalizers of the garbage collector on what it names.
  if (!isEnding || planned.fate !== 'terminating' || record === target) return;
  const named = new Set(linksOf(said.chain).flatMap(({ finalizer }) => finalizer ?? []));
  for (const { kind, name } of planned.blockedBy) {
    if (kind === 'finalizer' && !named.has(name)) tell(`held by ${name}`);
  }
}

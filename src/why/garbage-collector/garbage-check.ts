import { type Judgement, judgementsIn } from '../../controllers/garbage-collector/judge.ts';
import { counted, firstOf } from '../../kube/counts-by-kind.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { fullNameOf } from '../../kube/object-reference.ts';
import { groupResourceOf, isDeletable } from '../../kube/resource-type.ts';
import { age } from '../../kube/time.ts';
import { isNamespace } from '../../kube/well-known-kinds.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import { type Content, evidenceOf, type Inquiry, snapshotOf, valueIn } from '../inquiry.ts';
import { judgeByAsking } from '../judge-by-asking.ts';
import { type HealthCheck, healthCheck } from './health-check.ts';

/** The maximum number of objects to read again. */
const mostSamples = 8;

/**
 * Objects that the garbage collector should have changed or deleted are the best evidence of its health: it
 * processes an object within milliseconds of the event. Lists are read one after another, so each of a few is
 * read again a little later, with its owners.
 */
export function garbageCheck(inquiry: Inquiry): HealthCheck {
  const rule = 'GC-22';
  const content = inquiry.ask({ ask: 'content', namespace: undefined });
  const found = garbageIn(inquiry, valueIn(content));
  if (content.state !== 'read') {
    const evidence = evidenceOf(content, () => '');
    return healthCheck('garbage', 'unknown', 'the objects could not be listed', { evidence });
  }
  const { records, unread } = content.value;
  if (records.length === 0 && unread.length > 0) {
    return healthCheck('garbage', 'unknown', 'no kind could be listed', { rule });
  }
  if (found.length === 0 && unread.length > 0) {
    const because = 'among what could be listed, no object waits for the garbage collector';
    return healthCheck('garbage', 'ok', because, { rule });
  }
  if (found.length === 0) {
    return healthCheck('garbage', 'ok', 'no object waits for the garbage collector', { rule });
  }
  // A snapshot or a file shows one moment: the garbage collector may have acted in the next one.
  if (inquiry.origin !== 'cluster') {
    const because = `the garbage collector had yet to process ${counted(found.length, 'object')}`;
    return healthCheck('garbage', 'ok', because, { rule });
  }
  return observed(inquiry, found, content.value.records);
}

/** What became of garbage some seconds later; `records`: what was read with it. */
export function observed(
  inquiry: Inquiry,
  found: readonly ObjectRecord[],
  records: readonly ObjectRecord[],
): HealthCheck {
  const rule = 'GC-22';
  const samples = found.slice(0, mostSamples).map((record) => readAgain(inquiry, record));
  // Who may list objects need not be permitted to get them.
  const isUnread = samples.some(({ state }) => state === 'unread');
  const later =
    isUnread || found.length > mostSamples ? listedAgain(inquiry, found, records) : undefined;
  const evidence = [...samples.flatMap((sample) => sample.evidence), ...(later?.evidence ?? [])];
  if (later?.collected || samples.some(({ state }) => state === 'processed')) {
    const because = 'the garbage collector has just deleted or changed objects';
    const left = found.length - (later?.collected ?? found.length);
    const behind = left > 0 ? `; ${counted(left, 'object')} wait for it` : '';
    return healthCheck('garbage', 'ok', `${because}${behind}`, {
      rule,
      evidence,
      isProof: true,
      ...(left > 0 && { overdue: left }),
    });
  }
  if (isUnread && later?.collected !== 0) {
    const because = `whether the garbage collector has processed ${counted(found.length, 'object')} could not be read`;
    return healthCheck('garbage', 'unknown', because, { rule, evidence });
  }
  const since = found[0]?.creationTimestamp;
  const because = `${overdueWords(found.length)}: ${firstOf(found.map(fullNameOf))}${since === undefined ? '' : `; the oldest was created ${age(since, inquiry.now)} ago`}`;
  return healthCheck('garbage', 'unknown', because, {
    rule,
    evidence,
    overdue: found.length,
    overdueKinds: [...new Set(found.map(({ type }) => groupResourceOf(type)))].sort(),
    next: 'Check the log of kube-controller-manager, and whether garbage-collector-controller is among its --controllers.',
  });
}

/** Of objects that it should have processed by now. */
export function overdueWords(count: number): string {
  const them = count === 1 ? 'it' : 'them';
  return `${counted(count, 'object')} overdue: the garbage collector should have deleted or changed ${them}`;
}

/**
 * How many objects of the most frequent kind were deleted or changed meanwhile: of thousands, a few samples need not be among those whose
 * turn has come. What a namespace takes with it shows nothing.
 */
function listedAgain(
  inquiry: Inquiry,
  found: readonly ObjectRecord[],
  records: readonly ObjectRecord[],
) {
  const ending = new Set(
    records.filter((one) => isNamespace(one) && isBeingDeleted(one)).map(({ name }) => name),
  );
  const byType = Map.groupBy(
    found.filter(({ namespace }) => !ending.has(namespace)),
    ({ type }) => type,
  );
  const [most] = [...byType].sort(([, a], [, b]) => b.length - a.length);
  if (!most) return undefined;
  const [type, garbage] = most;
  const reading = inquiry.ask({ ask: 'content', namespace: undefined, type, isLater: true });
  const left = valueIn(reading);
  if (!left || left.unread.length > 0) return undefined;
  const waiting = left.records.filter((record) => !isBeingDeleted(record));
  const kept = new Map(waiting.map(({ uid, ownerReferences }) => [uid, ownerReferences]));
  const isProcessed = ({ uid, ownerReferences }: ObjectRecord) =>
    JSON.stringify(kept.get(uid)) !== JSON.stringify(ownerReferences);
  const collected = garbage.filter(isProcessed).length;
  const evidence = evidenceOf(
    reading,
    () => `${collected} of ${garbage.length} were deleted or changed`,
  );
  return { collected, evidence };
}

/** Metrics are computed for each request: these APIs store no object that could be garbage. */
const metricsGroups = ['metrics.k8s.io', 'custom.metrics.k8s.io', 'external.metrics.k8s.io'];

/** Can there be garbage of this API group? */
export function storesObjects(group: string): boolean {
  return !metricsGroups.includes(group);
}

/** What the garbage collector would delete or change now, the oldest first. */
export function garbageIn(inquiry: Inquiry, content: Content | undefined): readonly ObjectRecord[] {
  if (!content) return [];
  return inquiry.once('garbage', () => {
    const unread = new Set(content.unread.map(({ resource }) => resource));
    const read = inquiry.types
      .preferred()
      .filter((type) => isDeletable(type) && !unread.has(groupResourceOf(type)))
      .map((type) => ({ resource: groupResourceOf(type) }));
    const graph = buildGraph(snapshotOf(inquiry, content.records, [], read));
    return [...judgementsIn(graph)]
      .flatMap(([record, judgement]) => (isWork(judgement) ? [record] : []))
      .sort((a, b) => createdAt(a) - createdAt(b));
  });
}

/** Does the garbage collector act on it without waiting for anything? */
function isWork({ action }: Judgement): boolean {
  return action === 'delete' || action === 'patch';
}

function createdAt({ creationTimestamp }: ObjectRecord): number {
  return creationTimestamp === undefined ? Number.MAX_VALUE : Date.parse(creationTimestamp);
}

/** Has the garbage collector processed the object in the meantime? */
function readAgain(inquiry: Inquiry, record: ObjectRecord) {
  const { type, namespace, name } = record;
  const later = inquiry.ask({ ask: 'object', type, namespace, name, isLater: true });
  const evidence = evidenceOf(later, (found) => (found ? 'exists' : 'was deleted'));
  // A round with open questions is thrown away: only what certainly cannot be read is listed instead.
  if (later.state !== 'read') return { state: later.state, evidence };
  const found = later.value;
  if (found?.uid !== record.uid || isBeingDeleted(found)) {
    return { state: 'processed' as const, evidence };
  }
  const judged = judgeByAsking(inquiry, found);
  const state = isWork(judged.judgement) ? 'overdue' : 'processed';
  return { state, evidence: [...evidence, ...judged.evidence] } as const;
}

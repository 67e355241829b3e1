import { viewOf } from '../../src/controllers/cluster-view.ts';
import type { ControllerId, Decision } from '../../src/controllers/controller.ts';
import { decideAll } from '../../src/controllers/decision.ts';
import { controllerOf, type ObjectRecord } from '../../src/kube/object-record.ts';
import { knownNodeOf } from '../../src/kube/pod-use.ts';
import { collectorOf } from './collector-agents.ts';
import { sentAsForetold } from './collector-answers.ts';
import type { AuditedRequest } from './collector-audit.ts';
import { leavingNode } from './collector-cluster/pods.ts';
import { forecastOf, knowledgeOf, running, settingsOf } from './collector-forecasts.ts';
import type { PlayedCluster } from './collector-play.ts';
import { clusterAt, keyOf } from './collector-replay.ts';

export interface Comparison {
  /** Each a sentence; none when all went as foretold. */
  readonly mismatches: readonly string[];
  /** Objects that a collector wrote to, and those among them that a change during the play was needed for. */
  readonly acted: Readonly<Record<string, number>>;
  readonly followed: number;
  /** Foretold, and somebody else was faster, or changed what it depends on. */
  readonly overtaken: number;
  /** Foretold actions, in how many the time could be checked against an end, and the widest such range. */
  readonly foretold: number;
}

interface Acted {
  readonly collector: ControllerId;
  readonly requests: AuditedRequest[];
}

/** Controllers wait three to six seconds before they begin, and then their caches have to be filled. */
const late = 9000;
/** Seconds are cut off in stored times; caches are a little behind. */
const early = 1100;

/** What the controllers did, against what we say that they do. */
export function compareCollectors(played: PlayedCluster): Comparison {
  const mismatches: string[] = [];
  const acted = actedOn(played);
  const foretold = new Set<string>();
  const overtaken = new Set<string>();
  let count = 0;
  const end = clusterAt(played.before, played.requests, played.endedAt);
  const standing = new Map(
    running(played).map((one) => [
      one.id,
      new Set(decideAll(one, viewOf(end), settingsOf(played), played.endedAt).map(wordsOf)),
    ]),
  );
  const stillStands = (decision: Decision) =>
    standing.get(decision.collector)?.has(wordsOf(decision)) ?? false;
  for (const knowledge of knowledgeOf(played)) {
    for (const collector of running(played)) {
      const decisions = forecastOf(played, collector, knowledge);
      for (const decision of decisions) {
        const key = actKey(collector.id, keyOf(decision.object));
        foretold.add(key);
        count += 1;
        const requests = acted.get(key)?.requests ?? [];
        const isDone = requests.some((request) => isAbout(decision, request));
        if (!isDone && isDue(played, decision) && !stillStands(decision)) {
          overtaken.add(key);
          continue;
        }
        const wrong = judge(played, decision, requests);
        const [first] = requests;
        if (
          wrong &&
          first &&
          dependsOnTaints(played, decision) &&
          follows(played, collector.id, first)
        ) {
          overtaken.add(key);
          continue;
        }
        if (wrong)
          mismatches.push(
            `knowing ${knowledge.known}, ${collector.id} on ${keyOf(decision.object)}: ${wrong}`,
          );
      }
      mismatches.push(...wrongOrders(decisions, acted));
    }
  }
  let followed = 0;
  for (const [key, { collector, requests }] of acted) {
    if (foretold.has(key) || requests.every((one) => changesNothing(played, one))) continue;
    const [first] = requests;
    if (first && follows(played, collector, first)) followed += 1;
    else mismatches.push(`${key}: ${first?.verb} ${first?.subresource} was not foretold`);
  }
  mismatches.push(...leftUndone(played, acted), ...wrongQuarantines(played));
  const numbers: Record<string, number> = {};
  for (const { collector } of acted.values()) numbers[collector] = (numbers[collector] ?? 0) + 1;
  return { mismatches, acted: numbers, followed, overtaken: overtaken.size, foretold: count };
}

const actKey = (collector: ControllerId, key: string) => `${collector} on ${key}`;

function actedOn({ requests, before, made }: PlayedCluster): Map<string, Acted> {
  const known = new Set([
    ...before.records.map(keyOf),
    ...made.map(
      ({ metadata }) => `leases.coordination.k8s.io ${metadata.namespace} ${metadata.name}`,
    ),
  ]);
  const acted = new Map<string, Acted>();
  for (const request of requests) {
    const collector = collectorOf(request);
    const object = `${request.resource} ${request.namespace} ${request.name}`;
    // What is made during the play is nobody's forecast.
    if (!collector || !known.has(object)) continue;
    const key = actKey(collector, object);
    const entry = acted.get(key) ?? { collector, requests: [] };
    entry.requests.push(request);
    acted.set(key, entry);
  }
  return acted;
}

const wordsOf = ({ action, object }: Decision) => `${action} ${keyOf(object)}`;

/** An object that is being deleted already can be deleted once more. */
function changesNothing({ before }: PlayedCluster, { verb, answer, resource }: AuditedRequest) {
  const metadata = answer?.metadata ?? {};
  return (
    verb === 'delete' &&
    before.records.some(
      ({ uid, deletionTimestamp, deletionGracePeriodSeconds, type }) =>
        uid === metadata.uid &&
        resource.startsWith(type.resource) &&
        deletionTimestamp !== undefined &&
        deletionTimestamp === metadata.deletionTimestamp &&
        deletionGracePeriodSeconds === metadata.deletionGracePeriodSeconds,
    )
  );
}

function isAbout({ action, patch }: Decision, { verb, subresource }: AuditedRequest): boolean {
  if (action === 'delete') return verb === 'delete';
  return verb !== 'delete' && subresource === (patch?.subresource ?? '');
}

/** What is wrong with one decision; undefined when nothing is. */
function judge(
  played: PlayedCluster,
  decision: Decision,
  requests: readonly AuditedRequest[],
): string | undefined {
  const { notBefore, notAfter, because } = decision;
  const wanted = requests.filter((request) => isAbout(decision, request));
  const first = wanted[0];
  if (!first) return isDue(played, decision) ? `nothing happened, although ${because}` : undefined;
  const after = `${(first.received - played.startedAt) / 1000} s after the start`;
  const isEarly = first.received < notBefore - early;
  if (isEarly) return `${after} is before ${(notBefore - played.startedAt) / 1000}`;
  if (notAfter !== undefined && first.received > notAfter + late) {
    return `${after} is after ${(notAfter - played.startedAt) / 1000}`;
  }
  return sentAsForetold(decision, requests, first);
}

/** Whatever works on events looks at everything when it starts, however late it might have otherwise. */
function isDue({ endedAt, startedAt }: PlayedCluster, decision: Decision): boolean {
  const { confidence, collector, notBefore, notAfter, rule } = decision;
  if (rule === 'OTH-4' || rule === 'SAT-4') return notBefore + late < endedAt;
  if (confidence !== 'certain') return false;
  const isOnEvents = notAfter === undefined || notAfter - notBefore > 23 * 3_600_000;
  if (isOnEvents) return notBefore + late < endedAt;
  // The passes of these come once while they are watched.
  if (['csr-cleaner', 'podcertificaterequest-cleaner'].includes(collector)) {
    return notBefore <= startedAt;
  }
  return notAfter + late < endedAt;
}

/**
 * The taint-eviction-controller deletes pods, so that fewer are there to be collected than were forecast; and evicts them earlier
 * where a Node gets another taint meanwhile.
 */
function dependsOnTaints({ controllers }: PlayedCluster, { collector }: Decision): boolean {
  const isAffected = collector === 'pod-garbage-collector' || collector === 'node-lifecycle';
  return isAffected && controllers.includes('taint-eviction-controller');
}

/** Something changed, and then the collector had to act: had it, a moment before? */
function follows(played: PlayedCluster, id: ControllerId, request: AuditedRequest): boolean {
  const collector = running(played).find((one) => one.id === id);
  const key = `${request.resource} ${request.namespace} ${request.name}`;
  const { before, requests } = played;
  // Its caches may be behind, and ahead of the answers to others.
  const times = requests
    .map(({ answered }) => answered)
    .filter((time) => time > request.received - 2500 && time < request.answered);
  return [...new Set([request.received - 2500, ...times, request.received])].some((time) => {
    const view = viewOf(clusterAt(before, requests, time));
    const decisions = collector ? decideAll(collector, view, settingsOf(played), time) : [];
    return decisions.some(
      ({ object, notBefore }) => keyOf(object) === key && notBefore <= request.received + early,
    );
  });
}

/** What was due for long when the play ended, and nobody had ever done. */
function leftUndone(played: PlayedCluster, acted: ReadonlyMap<string, Acted>): string[] {
  const { before, requests, endedAt } = played;
  const settings = settingsOf(played);
  const known = new Set(before.records.map(keyOf));
  return running(played).flatMap((collector) => {
    if (collector.id === 'apiserver-lease') return [];
    const isPods = collector.id === 'pod-garbage-collector';
    const dueAt = (time: number) =>
      decideAll(collector, viewOf(clusterAt(before, requests, time)), settings, time)
        .filter(
          ({ confidence, rule }) => confidence === 'certain' && rule !== 'PG-16' && rule !== 'PG-8',
        )
        .filter(
          ({ notBefore, notAfter }) => notBefore <= time && (notAfter ?? 0) - time !== 3_600_000,
        )
        .map(({ object }) => keyOf(object));
    const now = new Set(dueAt(endedAt));
    return dueAt(endedAt - (isPods ? 22_000 : 5000))
      .filter((key) => now.has(key) && known.has(key) && !acted.has(actKey(collector.id, key)))
      .filter(() => !collector.id.endsWith('request-cleaner') && collector.id !== 'csr-cleaner')
      .map((key) => `${collector.id} left ${key} undone`);
  });
}

/** A pod goes 40 to 80 seconds after its Node (PG-15). */
function wrongQuarantines({ before, requests, nodeGoneAt }: PlayedCluster): string[] {
  const left = new Set(
    before.records
      .filter((record) => knownNodeOf(record) === leavingNode)
      .map(({ namespace, name }) => `${namespace}/${name}`),
  );
  return requests.flatMap(({ namespace, name, sent, received }) => {
    const pod = `${namespace}/${name}`;
    if (!left.has(pod) || !JSON.stringify(sent ?? '').includes('DeletionByPodGC')) return [];
    const after = (received - nodeGoneAt) / 1000;
    return after > 39.9 && after < 81 ? [] : [`${pod} went ${after} s after its Node`];
  });
}

/** Owners whose objects are deleted one after the other, in an order that we claim. */
function laneOf(record: ObjectRecord): string | undefined {
  switch (record.type.kind) {
    case 'Job':
      return controllerOf(record)?.name;
    case 'ReplicaSet':
    case 'ControllerRevision':
      return controllerOf(record)?.uid;
    default:
      return undefined;
  }
}

function wrongOrders(decisions: readonly Decision[], acted: ReadonlyMap<string, Acted>): string[] {
  const inOrder = decisions.filter(({ collector }) => collector.endsWith('-history'));
  const lanes = Map.groupBy(inOrder, ({ object }) => laneOf(object));
  return [...lanes].flatMap(([lane, list]) => {
    if (lane === undefined) return [];
    const times = list.flatMap(({ collector, object }) => {
      const first = acted.get(actKey(collector, keyOf(object)))?.requests[0];
      return first ? [{ name: object.name, at: first.received }] : [];
    });
    const real = times.toSorted((a, b) => a.at - b.at);
    const words = (list: typeof times) => list.map(({ name }) => name).join();
    return words(real) === words(times) ? [] : [`${lane}: ${words(real)} and not ${words(times)}`];
  });
}

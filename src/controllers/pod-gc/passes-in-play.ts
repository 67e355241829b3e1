import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf, nodeNameOf, notRead } from '../../kube/pod-use.ts';
import { isNode, isOutOfService, isPod } from '../../kube/well-known-kinds.ts';
import type { ByKind } from '../by-kind.ts';
import type {
  Change,
  ControllerMemory,
  Decision,
  Pass,
  PassController,
  ScheduledDecision,
} from '../controller.ts';
import { podGcPeriod } from './forecast.ts';
import {
  type Chosen,
  isTerminated,
  missingNodes,
  type PodGcStep,
  podGcPass,
  quarantineTime,
  statusPatchOf,
  terminatedExcess,
} from './pass.ts';
import { podGarbageCollector, podGcInputOf } from './pod-gc.ts';

/** Runs one pass after another, with the quarantine of missing Nodes in its memory (PG-1, PG-12 to PG-15). */
export const podGcInPlay: PassController = {
  ...podGarbageCollector,
  passes: { period: podGcPeriod, afterStart: (pause) => pause },
  needsPass: (record, view) => (isPod(record) ? mayBeCase(record, view) : isOutOfService(record)),
  // Only a Node: a Pod that is deleted never makes another object a case.
  triggersOnDelete: isNode,
  groupOf: (record) => (isPod(record) && isTerminated(record) ? ended : undefined),
  casesBy,
  caseOf,
  begin: beginPasses,
};

const ended = 'terminated';

/** A Node by its name, a pod by its uid, and those that have ended together. */
function casesBy({ before, after }: Change, view: ByKind): readonly string[] {
  const record = after ?? before;
  if (!record) return [];
  if (isNode(record)) {
    const isNews = !after || !before || !isOutOfService(before);
    return isNews ? [record.name] : [];
  }
  const hasEnded = after && isTerminated(after) && !(before && isTerminated(before));
  const isDeleted = after && isBeingDeleted(after) && !(before && isBeingDeleted(before));
  const isCase = isDeleted || !before || !mayBeCase(before, view);
  return [isCase ? record.uid : [], hasEnded ? ended : []].flat();
}

function caseOf({ object, rule }: Decision): readonly string[] {
  const isOfMany = rule === 'PG-5' || rule === 'PG-8';
  return [object.uid, isOfMany ? ended : (knownNodeOf(object) ?? [])].flat();
}

/** A pod that has ended counts towards the threshold, even if another pod is then deleted. */
function mayBeCase(pod: ObjectRecord, view: ByKind): boolean {
  if (pod.facts === undefined) return false;
  if (isTerminated(pod)) return true;
  const nodeName = nodeNameOf(pod);
  if (nodeName === notRead) return false;
  if (nodeName === '') return isBeingDeleted(pod);
  const node = view.at('nodes', '', nodeName);
  return node === undefined || (isBeingDeleted(pod) && isOutOfService(node));
}

/**
 * A look serves all that has changed since the one before. What was no case until later may have just been missed by
 * a pass then.
 */
function laterBy(decision: Decision, later: number, since: number): Decision {
  const { notBefore, notAfter } = decision;
  return {
    ...decision,
    notBefore: Math.max(notBefore, since),
    notAfter: notAfter === undefined ? undefined : notAfter + later,
  };
}

/** The pass of this run chooses; when a controller whose passes are not known would, its decision says. */
function beginPasses(): Pass {
  let quarantine: ReadonlyMap<string, number> = new Map();
  let missing: ReadonlySet<string> | undefined;
  const lastSeen = new Map<string, number>();
  /** By uid: as each pod was first found to be a case. */
  const decided = new Map<string, Decision>();
  return (view, settings, { now, since, sinceOf, ranBefore, startedAt }) => {
    const { terminatedPodGCThreshold: threshold } = settings;
    const input = podGcInputOf(view);
    const before = missing;
    missing = missingNodes(input);
    for (const name of missing) {
      const goneSince = sinceOf([name]) ?? (before ? since : undefined);
      if (goneSince !== undefined && !before?.has(name)) lastSeen.set(name, goneSince);
    }
    for (const [uid, { object }] of decided) {
      const name = knownNodeOf(object) ?? '';
      if (before?.has(name) && !missing.has(name)) decided.delete(uid);
    }
    const pass = podGcPass(input, threshold, now, quarantine, missing);
    const armed = new Map([...missing].map((name) => [name, now + quarantineTime] as const));
    const memory: ControllerMemory = ranBefore
      ? { ...(startedAt !== undefined && { startedAt }), lastSeen }
      : {
          lastPasses: new Map([[podGarbageCollector.id, now - podGcPeriod]]),
          quarantine: new Map([...armed, ...quarantine]),
        };
    ({ quarantine } = pass);

    const chosen = new Set(pass.chosen.map(({ pod }) => pod));
    const waiting = input.pods.filter((pod) => isWaiting(pod) && !chosen.has(pod));
    if ([...chosen, ...waiting].some(({ uid }) => !decided.has(uid))) {
      const told = podGarbageCollector.pass(view, settings, ranBefore ? since : now, memory);
      for (const one of told) {
        if (decided.has(one.object.uid)) continue;
        const caseSince = (ranBefore ? sinceOf(caseOf(one)) : undefined) ?? since;
        const isLater = caseSince > since;
        decided.set(one.object.uid, isLater ? laterBy(one, caseSince - since, caseSince) : one);
      }
    }
    return [
      ...pass.chosen.flatMap(({ pod, step }) => due(pod, now, step)),
      ...tiedWith(pass.chosen),
      ...waiting.flatMap((pod) => due(pod, quarantine.get(knownNodeOf(pod) ?? '') ?? now)),
    ];

    /** What is sent is what this step writes, whichever else may come first. */
    function due(object: ObjectRecord, at: number, step?: PodGcStep): ScheduledDecision[] {
      const found = decided.get(object.uid);
      if (!found) return [];
      const patch = step ? statusPatchOf(object, step, at) : found.patch;
      const range = { from: found.notBefore, to: found.notAfter };
      const inGroup = step === 'terminated';
      const isSame = object === found.object && patch === found.patch;
      const decision = isSame ? found : decisionWith(found, object, patch);
      return [{ decision, at, ...range, inGroup }];
    }

    function isWaiting(pod: ObjectRecord): boolean {
      const name = knownNodeOf(pod) ?? '';
      return missing?.has(name) === true && !input.nodeExists(name);
    }

    /** Those that the chance spares this time: they go as the tied ones that were chosen. */
    function tiedWith(all: readonly Chosen[]): ScheduledDecision[] {
      const tied = all.find((one) => one.tied);
      const [like] = tied ? due(tied.pod, now, tied.step) : [];
      if (!like) return [];
      return [...terminatedExcess(input.pods, threshold).tied].flatMap((object) =>
        chosen.has(object) ? [] : [{ ...like, decision: { ...like.decision, object } }],
      );
    }
  };
}

function decisionWith(
  decision: Decision,
  object: ObjectRecord,
  patch: Decision['patch'],
): Decision {
  if (patch) return { ...decision, object, patch };
  const { patch: _, ...others } = decision;
  return { ...others, object };
}

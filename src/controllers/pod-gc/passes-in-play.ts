import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf, nodeNameOf, notRead } from '../../kube/pod-use.ts';
import { isNode, isOutOfService, isPod } from '../../kube/well-known-kinds.ts';
import type { ControllerSettings } from '../../settings/controller-settings.ts';
import type { ByKind, ClusterView } from '../cluster-view.ts';
import type {
  Change,
  ControllerMemory,
  Decision,
  PassContext,
  PassController,
  ScheduledDecision,
} from '../controller.ts';
import { podGcPeriod } from './forecast.ts';
import {
  isTerminated,
  missingNodes,
  type PodGcInput,
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
  begin() {
    const passes = new PassesInPlay();
    return (...by) => passes.pass(...by);
  },
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
  return [...(isCase ? [record.uid] : []), ...(hasEnded ? [ended] : [])];
}

function caseOf({ object, rule }: Decision): readonly string[] {
  const shared = rule === 'PG-5' || rule === 'PG-8' ? ended : knownNodeOf(object);
  return shared === undefined ? [object.uid] : [object.uid, shared];
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

/** The passes of one play choose; when a controller whose passes are not known would, the decision says. */
class PassesInPlay {
  #quarantine: ReadonlyMap<string, number> = new Map();
  #missing: ReadonlySet<string> | undefined;
  readonly #lastSeen = new Map<string, number>();
  /** By uid: as each Pod was first found to be a case. */
  readonly #decided = new Map<string, Decision>();

  pass(
    view: ClusterView,
    settings: ControllerSettings,
    context: PassContext,
  ): readonly ScheduledDecision[] {
    const { now, since, ranBefore } = context;
    const { terminatedPodGCThreshold: threshold } = settings;
    const input = podGcInputOf(view);
    const missing = this.#noteMissingNodes(input, context);
    const pass = podGcPass(input, threshold, now, this.#quarantine, missing);
    const memory = this.#memoryOf(missing, context);
    this.#quarantine = pass.quarantine;

    const chosen = new Set(pass.chosen.map(({ pod }) => pod));
    const absent = new Set([...missing].filter((name) => !input.nodeExists(name)));
    const waiting = input.pods.filter(
      (pod) => absent.has(knownNodeOf(pod) ?? '') && !chosen.has(pod),
    );
    if ([...chosen, ...waiting].some(({ uid }) => !this.#decided.has(uid))) {
      const decided = podGarbageCollector.pass(view, settings, ranBefore ? since : now, memory);
      this.#noteDecisions(decided, context);
    }
    const tied = pass.chosen.find((one) => one.tied);
    const spared = tied
      ? [...terminatedExcess(input.pods, threshold).tied].filter((pod) => !chosen.has(pod))
      : [];
    return [
      ...pass.chosen.flatMap(({ pod, step }) => this.#schedule(pod, now, step)),
      // Those that the chance spares this time are deleted as the tied ones that were chosen.
      ...(tied ? this.#schedule(tied.pod, now, tied.step) : []).flatMap((like) =>
        spared.map((object) => ({ ...like, decision: { ...like.decision, object } })),
      ),
      ...waiting.flatMap((pod) =>
        this.#schedule(pod, this.#quarantine.get(knownNodeOf(pod) ?? '') ?? now),
      ),
    ];
  }

  /** The Nodes that Pods name and that do not exist, and since when. */
  #noteMissingNodes(input: PodGcInput, { since, sinceOf }: PassContext): ReadonlySet<string> {
    const before = this.#missing;
    const missing = missingNodes(input);
    this.#missing = missing;
    for (const name of missing) {
      const goneSince = sinceOf([name]) ?? (before ? since : undefined);
      if (goneSince !== undefined && !before?.has(name)) this.#lastSeen.set(name, goneSince);
    }
    const back = new Set([...(before ?? [])].filter((name) => !missing.has(name)));
    if (back.size === 0) return missing;
    for (const [uid, { object }] of this.#decided) {
      if (back.has(knownNodeOf(object) ?? '')) this.#decided.delete(uid);
    }
    return missing;
  }

  #memoryOf(
    missing: ReadonlySet<string>,
    { now, ranBefore, startedAt }: PassContext,
  ): ControllerMemory {
    if (ranBefore)
      return { ...(startedAt !== undefined && { startedAt }), lastSeen: this.#lastSeen };
    const armed = [...missing].map((name) => [name, now + quarantineTime] as const);
    return {
      lastPasses: new Map([[podGarbageCollector.id, now - podGcPeriod]]),
      quarantine: new Map([...armed, ...this.#quarantine]),
    };
  }

  #noteDecisions(decisions: readonly Decision[], { since, sinceOf, ranBefore }: PassContext): void {
    for (const one of decisions) {
      if (this.#decided.has(one.object.uid)) continue;
      const caseSince = (ranBefore ? sinceOf(caseOf(one)) : undefined) ?? since;
      const isLater = caseSince > since;
      const decision = isLater ? laterBy(one, caseSince - since, caseSince) : one;
      this.#decided.set(one.object.uid, decision);
    }
  }

  /** The request contains what this step writes, whichever else may come first. */
  #schedule(object: ObjectRecord, at: number, step?: PodGcStep): ScheduledDecision[] {
    const found = this.#decided.get(object.uid);
    if (!found) return [];
    const patch = step ? statusPatchOf(object, step, at) : found.patch;
    const isSame = object === found.object && patch === found.patch;
    const decision = isSame ? found : decisionWith(found, object, patch);
    const { notBefore: from, notAfter: to } = found;
    return [{ decision, at, from, to, inGroup: step === 'terminated' }];
  }
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

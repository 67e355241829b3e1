import { clusterIdentity } from '../../cluster/cluster-identity.ts';
import type { Plan, Planned, PlanRefusal, SealedPlan } from '../../deletion/plan/plan.ts';
import {
  canDisappear,
  disappearingCount,
  disappearingIn,
  lostDataOf,
} from '../../deletion/plan/plan-totals.ts';
import { sealPlan } from '../../deletion/saved-plan.ts';
import { isGcError } from '../../errors.ts';
import { counted, kindCounts } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { plan } from '../../library/questions.ts';
import { type Limits, refusalsOf, refuseMoved, refuseUnreadSince } from '../../perform/limits.ts';
import type { RunReporter } from '../../perform/perform-options.ts';
import { performPlan } from '../../perform/perform-plan.ts';
import type { RunSummary } from '../../perform/run-summary.ts';
import {
  checkedDeleteOptions,
  type DeleteFlags,
  type DeleteOptions,
} from '../../shell/flags/delete-options.ts';
import { openOwners } from '../../shell/input/open-objects.ts';
import type { Session } from '../../shell/input/session.ts';
import { readAndPlan } from '../../shell/plan/plan-on-cluster.ts';
import { limitsOf, performOptionsOf } from '../../shell/plan/planning.ts';
import { mostDangerousFirst, namedObject, type ToolAnswer } from './answers.ts';
import { type ToolQuestion, unreadInWords } from './questions.ts';

/** How long a plan that was shown may be performed, in milliseconds. */
const shownFor = 10 * 60_000;
/** Clients give up on a tool after a minute. */
const followedFor = '45s';

interface ShownPlan {
  readonly plan: Plan;
  readonly targets: readonly ObjectRecord[];
  readonly options: DeleteOptions;
  readonly shownAt: number;
}

/** What was refused, as data: nothing was sent. */
const refusedAnswer = (code: string, told?: object): ToolAnswer => ({
  summary: ['Refused: nothing was deleted.'],
  values: { refused: code },
  ...(told && { told: { ...told } }),
});

/** The deletions that one server shows and, where it may, performs. */
export class Deletions {
  readonly #shown = new Map<string, ShownPlan>();
  /** What the command line says of all deletions. */
  readonly #given: DeleteFlags;
  readonly #now: () => number;

  constructor(given: DeleteFlags, now: () => number = Date.now) {
    this.#given = given;
    this.#now = now;
  }

  async preview(
    objects: readonly string[],
    cascade = 'background',
    { flags, session }: ToolQuestion,
  ): Promise<ToolAnswer> {
    const options = checkedDeleteOptions({
      ...flags,
      ...this.#given,
      timeout: followedFor,
      cascade,
    });
    const { roots, snapshot } = await openOwners(objects, flags, session);
    const { policy: propagationPolicy } = options;
    const planned = flags.from
      ? { plan: plan(snapshot, roots.map(referenceTo), { propagationPolicy }), snapshot }
      : await planHere(roots, options, session);
    const sealed = sealPlan(planned.plan);
    for (const [digest, { shownAt }] of this.#shown) {
      if (this.#now() - shownAt > shownFor) this.#shown.delete(digest);
    }
    this.#shown.set(sealed.digest, { plan: sealed, targets: roots, options, shownAt: this.#now() });
    return planAnswer(sealed, cascade, refusalsOf(planned, limitsHere(options)));
  }

  /** Performs the plan of this digest, and nothing but it. */
  async perform(
    digest: string,
    { session }: ToolQuestion,
    signal: AbortSignal,
  ): Promise<ToolAnswer> {
    const shown = this.#shown.get(digest);
    if (!shown || this.#now() - shown.shownAt > shownFor) return refusedAnswer('not-shown');
    this.#shown.delete(digest);
    try {
      return await this.#performShown(shown, session, signal);
    } catch (error) {
      // Advice names flags that would allow it: that is for people.
      if (!isGcError(error)) throw error;
      const { code, message, advice } = error;
      return refusedAnswer(code, { message, ...(code === 'moved' && { changes: advice }) });
    }
  }

  async #performShown(
    { plan, targets, options }: ShownPlan,
    session: Session,
    signal: AbortSignal,
  ): Promise<ToolAnswer> {
    const limits = limitsHere(options);
    const replan = async (): Promise<Planned> => {
      const again = await planHere(targets, options, session);
      refuseMoved(plan, again.plan, 'the plan', limits.gapLines);
      refuseUnreadSince(plan, again.plan, limits);
      return again;
    };
    const lines: string[] = [];
    const reporter: RunReporter = {
      ask: async () => false,
      report: (said) => {
        if ('line' in said) lines.push(said.line);
      },
    };
    const usual = performOptionsOf(
      { flags: this.#given, options },
      { replan, useResourceVersion: true },
    );
    const performOptions = { ...usual, limits, backup: { ...usual.backup, of: 'all' as const } };
    const cluster = await session.cluster();
    const summary = await performPlan(await replan(), cluster, performOptions, reporter, signal);
    return summary ? summaryAnswer(summary, lines) : refusedAnswer('not-agreed');
  }
}

/** No person is asked. */
function limitsHere(options: DeleteOptions): Limits {
  return { ...limitsOf({}, options), asksFirst: () => false };
}

async function planHere(
  targets: readonly ObjectRecord[],
  options: DeleteOptions,
  session: Session,
): Promise<Planned> {
  const cluster = await session.cluster();
  return readAndPlan(cluster, targets, options, await clusterIdentity(cluster.client));
}

/** The counts, and what is lost, before any object. */
function planAnswer(
  plan: SealedPlan,
  cascade: string,
  refusals: readonly PlanRefusal[],
): ToolAnswer {
  const going = disappearingIn(plan);
  const count = (fate: string) => plan.objects.filter((object) => object.fate === fate).length;
  const staying = plan.objects.filter(
    (object) => !canDisappear(object) && ['orphaned', 'kept'].includes(object.fate),
  );
  const volumes = plan.remarks.some(({ code }) => code === 'volume')
    ? ' The remarks say what becomes of the data on volumes.'
    : '';
  return {
    summary: [
      `${disappearingCount(plan)} may be deleted by ${counted(plan.requests.length, 'request')} (cascade: ${cascade}).`,
      `Data loss: ${lostDataOf(plan) || 'none is known'}.${volumes}`,
      `Stuck: ${count('terminating')}. Coming again: ${count('recreated')}. Unknown: ${count('unknown')}. Losing an owner and staying: ${staying.length}.`,
      ...(refusals.length > 0 ? ['delete would refuse this plan.'] : []),
      ...unreadInWords(plan),
    ],
    values: {
      digest: plan.digest,
      refusals: refusals.map(({ code }) => code),
    },
    told: {
      kinds: Object.fromEntries(kindCounts(going.map(({ kind }) => kind))),
      remarks: plan.remarks.map(({ severity, code, message }) => ({ severity, code, message })),
      refusals: refusals.map(({ message }) => message),
    },
    items: mostDangerousFirst(plan.objects).map((object) => ({
      ...namedObject(object),
      ...{ wave: object.wave, fate: object.fate, later: object.then, because: object.because },
      ...(object.blockedBy.length > 0 && { blockedBy: object.blockedBy.map(({ name }) => name) }),
    })),
  };
}

function summaryAnswer(summary: RunSummary, lines: readonly string[]): ToolAnswer {
  const going = disappearingIn(summary.plan);
  const gone = going.filter(({ uid }) => summary.isGone(uid)).length;
  return {
    summary: [
      `Gone: ${gone} of ${counted(going.length, 'object')}. Requests: ${summary.accepted.size} accepted, ${summary.refused.length} refused, ${summary.unsent.length} not sent.`,
      `The run ended: ${summary.done?.ended ?? 'unknown'}. Left: ${summary.left.length}; ask why about them.`,
    ],
    values: { ended: summary.done?.ended },
    told: { lines, refused: summary.refused.map(({ message }) => message) },
    items: summary.left.map(({ object, because }) => ({ ...namedObject(object), because })),
  };
}

import { objectPath } from '../cluster/api-path.ts';
import { inParallel } from '../cluster/in-parallel.ts';
import { defaultRetryPolicy } from '../cluster/pacing.ts';
import { rehearse } from '../cluster/write/rehearse.ts';
import { isJudgement, type WriteAnswer } from '../cluster/write/write-answer.ts';
import type { HowToDelete } from '../deletion/plan/plan.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { Failure } from './failure.ts';
import type { PlanCluster } from './perform-options.ts';

/** What the API server says to a deletion that it only rehearses. */
export interface RehearsedTargets {
  /** Targets that it refuses to delete, by uid. */
  readonly refused: ReadonlyMap<string, Failure>;
  /** Why the answer for other objects is unknown, each reason once. */
  readonly unknown: readonly string[];
}

export const rehearsalsAtOnce = 8;
/** Admission judges each of them. */
const mostTargets = 50;
/** Milliseconds in all. A webhook that is down takes 10 s by default. */
const rehearsalTimeout = 15_000;

/**
 * Has the API server judge the deletion of the targets by dry runs, which change nothing. That the user may
 * not delete them is no refusal: the reviews of access say so.
 */
export async function rehearseTargets(
  { client }: Pick<PlanCluster, 'client'>,
  targets: readonly ObjectRecord[],
  { policy, gracePeriodSeconds }: HowToDelete,
  interrupted: AbortSignal,
): Promise<RehearsedTargets> {
  const signal = untilPatienceEnds(interrupted);
  const body = { propagationPolicy: policy, gracePeriodSeconds };
  const answers = await inParallel(
    targets.slice(0, mostTargets),
    rehearsalsAtOnce,
    async (target) => judgementOf(await rehearseDeletionOf(client, target, body, signal)),
  );
  const refused = targets.flatMap(({ uid }, index): [string, Failure][] => {
    const failure = answers[index]?.refused;
    return failure ? [[uid, failure]] : [];
  });
  const rest = targets.length - mostTargets;
  const unknown = [
    ...answers.flatMap((answer) => answer.unknown ?? []),
    ...(rest > 0 ? [`it was asked about ${mostTargets} objects of ${targets.length}`] : []),
  ];
  return { refused: new Map(refused), unknown: [...new Set(unknown)] };
}

/** The time that all dry runs before a question may take. */
export function untilPatienceEnds(interrupted: AbortSignal): AbortSignal {
  return AbortSignal.any([interrupted, AbortSignal.timeout(rehearsalTimeout)]);
}

/** One dry run of a deletion of this very object, sent once. `as`: the user to impersonate. */
export function rehearseDeletionOf(
  client: PlanCluster['client'],
  { type, namespace, name, uid }: ObjectRecord,
  body: object,
  signal: AbortSignal,
  as?: string,
): Promise<WriteAnswer> {
  const path = objectPath(type, namespace, name);
  const write = { verb: 'delete', path, guards: { uid }, body, metadataOnly: true } as const;
  const retry = { ...defaultRetryPolicy, tries: 1 };
  return rehearse(
    client,
    { ...write, ...(as !== undefined && { as }) },
    { retry, signal, late: signal },
  );
}

function judgementOf(answer: WriteAnswer): { refused?: Failure; unknown?: string } {
  const { outcome, code, reason, message } = answer;
  // The refresh before the requests handles objects that were deleted or replaced.
  if (['done', 'gone', 'changed'].includes(outcome) || code === 409) return {};
  if (code === 403 && message.includes('cannot delete resource')) return {};
  return code !== 401 && isJudgement(answer)
    ? { refused: { message, status: { code, reason } } }
    : { unknown: message };
}

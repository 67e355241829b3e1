import type { Plan, Planned, PlannedCluster, PlanRemark } from '../../deletion/plan/plan.ts';
import { disappearingIn } from '../../deletion/plan/plan-totals.ts';
import {
  type ProvenRefusal,
  type Refusals,
  refusalsBy,
} from '../../deletion/plan/proven-refusals.ts';
import {
  type AdmissionRules,
  judgesAlong,
  mayBeRefused,
} from '../../deletion/remarks/may-be-refused.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { Failure } from '../../perform/failure.ts';
import { orInterrupted } from '../../perform/interrupted.ts';
import { rehearseTargets } from '../../perform/rehearse-targets.ts';
import type { DeleteOptions } from '../flags/delete-options.ts';
import type { OpenedCluster } from '../input/session.ts';
import { isInteractive } from '../terminal/confirm.ts';
import { computing } from '../terminal/interruption.ts';
import { type Judges, readRules } from './admission-rules.ts';
import {
  type RehearsedControllers,
  rehearseControllers,
  unconvertedAmong,
} from './controller-refusals.ts';
import { readAndPlan } from './plan-on-cluster.ts';
import type { Deletion } from './planning.ts';

/**
 * Plans a deletion, and asks the API server at the same time what it says to it, where somebody sees the plan
 * before anything is sent: dry runs of the targets, and which webhooks and policies judge the rest. Answers `refused`, the
 * targets that it refuses to delete by uid, which are not sent; `judged`, the same deletion without them; and `look`, which plans
 * the same again.
 */
export async function planWithDryRuns(
  deletion: Deletion,
  targets: readonly ObjectRecord[],
  where: PlannedCluster,
) {
  const { cluster, options, signal } = deletion;
  const asks = isShownFirst(deletion);
  const [first, { refused, unknown }, admission] = await orInterrupted(
    Promise.all([
      readAndPlan(cluster, targets, options, where),
      asks ? rehearseTargets(cluster, targets, options, signal) : nothingSaid,
      asks ? readRules(cluster, targets) : undefined,
    ]),
    signal,
  );
  const words = new Map([...refused].map(([uid, { message }]) => [uid, message]));
  const judged = { ...deletion, options: { ...options, refused: words } };
  const alone = await withRefusals(first, judged.options, admission?.judges, refused.size > 0);
  const [controllers, unconverted] = await Promise.all([
    controllersAnswers(alone, cluster, admission?.rules, signal),
    asks
      ? orInterrupted(unconvertedAmong(cluster.client, alone, signal), signal)
      : new Map<string, ProvenRefusal>(),
  ]);
  const toControllers = new Map([...controllers.refused, ...unconverted]);
  const again = (planned: Planned, isChanged: boolean) =>
    withRefusals(planned, judged.options, admission?.judges, isChanged, toControllers);
  const withRemarks = ({ plan, ...planned }: Planned): Planned => {
    const remarksOn = (other: Plan): readonly PlanRemark[] => {
      const { records } = planned.snapshot;
      const along = admission ? judgesAlong(other, records, admission.rules) : [];
      return [...unknownRemark(unknown), ...mayBeRefused(along, controllers.accepted)];
    };
    const remarks = [...plan.remarks, ...remarksOn(plan)];
    return { ...planned, plan: { ...plan, remarks }, remarksOn };
  };
  const replan = async (objects: readonly ObjectRecord[]) =>
    withRemarks(await again(await readAndPlan(cluster, objects, judged.options, where), false));
  const planned = toControllers.size === 0 ? alone : await again(alone, true);
  return { planned: withRemarks(planned), replan, refused, judged };
}

/** What the API server says to the requests of controllers that follow. Where all share an account, nothing names it. */
async function controllersAnswers(
  planned: Planned,
  { client }: OpenedCluster,
  rules: AdmissionRules | undefined,
  signal: AbortSignal,
): Promise<RehearsedControllers> {
  const { plan, snapshot, context } = planned;
  const judges = rules ? judgesAlong(plan, snapshot.records, rules) : [];
  const isShared = context.settings.useServiceAccountCredentials === false;
  if (judges.length === 0 || isShared) return { refused: new Map(), accepted: new Set() };
  return orInterrupted(rehearseControllers(client, planned, judges, signal), signal);
}

/** Plans again where what the plan deletes is refused, or where the options have changed. */
async function withRefusals(
  planned: Planned,
  options: DeleteOptions,
  judges: Judges | undefined,
  isChanged: boolean,
  toControllers: Refusals = new Map(),
): Promise<Planned> {
  const { plan, snapshot, context } = planned;
  const { planFrom } = await import('../../deletion/plan/plan-deletion.ts');
  return computing(() => {
    const proven = judges ? refusalsBy(judges, snapshot, 'delete') : [];
    const refusals = new Map([...toControllers, ...proven]);
    const isRefused = disappearingIn(plan).some(({ uid }) => refusals.has(uid));
    if (!isRefused && !isChanged) return planned;
    return planFrom({ ...planned, context: { ...context, refusals } }, options);
  });
}

const nothingSaid = { refused: new Map<string, Failure>(), unknown: [] };

/** A script is answered by the server itself, and a dry run on the client asks it nothing. */
function isShownFirst({ flags, options }: Deletion): boolean {
  if (options.dryRun !== 'none') return options.dryRun === 'server';
  return (flags.preview ?? false) || (flags.compare ?? false) || (!flags.yes && isInteractive());
}

function unknownRemark([first, ...more]: readonly string[]): PlanRemark[] {
  if (first === undefined) return [];
  const others = more.length > 0 ? `, and for ${more.length} more reasons` : '';
  const message = `Whether the API server refuses this is not known: ${first}${others}.`;
  return [{ code: 'refusal-unknown', severity: 'note', message, objects: [] }];
}

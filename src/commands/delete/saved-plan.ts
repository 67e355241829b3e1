import { clusterIdentity } from '../../cluster/cluster-identity.ts';
import {
  type CommandPlace,
  printedCommand,
  shellCommand,
  suggested,
} from '../../command-line/shell-command.ts';
import type { Plan, Planned, SealedPlan } from '../../deletion/plan/plan.ts';
import { disappearingCount } from '../../deletion/plan/plan-totals.ts';
import { readPlan, sealPlan } from '../../deletion/saved-plan.ts';
import { GcError, usageError } from '../../errors.ts';
import { refuseForeignFile } from '../../files/own-document.ts';
import { writeWhole } from '../../files/write-whole.ts';
import { printedText } from '../../output/printable.ts';
import { isNotFound, messageOf } from '../../perform/failure.ts';
import { orInterrupted } from '../../perform/interrupted.ts';
import {
  refusalError,
  refuseMoved,
  refuseUnreadSince,
  withProblems,
} from '../../perform/limits.ts';
import {
  type DeleteFlags,
  type DeleteOptions,
  wantsDocument,
} from '../../shell/flags/delete-options.ts';
import { readText } from '../../shell/input/read-document.ts';
import type { OpenedCluster } from '../../shell/input/session.ts';
import { planWithDryRuns } from '../../shell/plan/admission.ts';
import { type Deletion, limitsOf, performOptionsOf } from '../../shell/plan/planning.ts';
import { printPreview } from '../../shell/plan/print-plan.ts';
import { performAndShow } from '../../shell/plan/show-run.ts';
import { refuseUnasked } from '../../shell/terminal/confirm.ts';
import {
  gapsInLines,
  warnOfGaps,
  writeCommand,
  writeErr,
  writeOut,
} from '../../shell/terminal/streams.ts';
import { jsonText } from '../../syntax/json-text.ts';
import { DeleteOutcome, recordRun } from './outcome.ts';
import { getTargets } from './targets/resolve-targets.ts';
import type { DeletionTarget } from './targets/targets-of-files.ts';

const newPlan = shellCommand`kubectl gc delete TYPE/NAME --plan FILE`;

/** Reads a plan that is to be performed; refuses what cannot be wished for beside it. */
export async function savedPlan(
  file: string,
  flags: DeleteFlags,
  options: DeleteOptions,
  signal: AbortSignal,
): Promise<SealedPlan> {
  refuseOtherWishes(flags, options);
  const how = suggested('To make one, name objects too', newPlan);
  if (file === '-') {
    throw new GcError('cannot read the plan -: a plan to perform must be a file', {
      code: 'unreadable-input',
      suggestions: [how],
    });
  }
  const plan = readPlan(await orInterrupted(readText(file, 'plan', how), signal), file);
  if (plan.cluster.server === '' && plan.cluster.uid === '') {
    throw usageError(`${file} was made from files: it names no cluster`, [
      'To make it on the cluster, name the same objects without --from.',
    ]);
  }
  refuseOtherNamespace(plan, file, flags);
  if (!wantsDocument(flags)) {
    refuseUnasked(
      flags.yes,
      `there is no terminal on which to confirm ${file}`,
      'To perform it without a question: --yes. To look at it: --preview.',
    );
  }
  return plan;
}

/**
 * Performs a saved plan, and nothing but it: on the cluster it was made for, while nothing that it
 * depends on has moved there. Every request is bound to the uid, and to the resourceVersion with which
 * all was still as planned.
 */
export async function performSavedPlan(
  saved: SealedPlan,
  file: string,
  given: Deletion,
): Promise<DeleteOutcome> {
  const { cluster, flags, signal } = given;
  const options = plannedOptions(saved, given.options);
  const deletion = { ...given, options };
  const where = await orInterrupted(clusterIdentity(cluster.client), signal);
  const targets = plannedTargets(saved, cluster);
  const limits = limitsOf(flags, options);
  let gotten: readonly DeletionTarget[] = [];
  const replan = async (): Promise<Planned> => {
    gotten = await getTargets(cluster.client, targets);
    refuseUnseen(gotten, file);
    const records = gotten.flatMap(({ record }) => record ?? []);
    const { planned } = await planWithDryRuns(deletion, records, where);
    const [refusal] = planned.plan.refusals ?? [];
    if (refusal && wantsDocument(flags)) return planned;
    // It is all of the plan or nothing.
    if (refusal) throw refusalError(refusal);
    refuseMoved(saved, planned.plan, file, gapsInLines, [
      suggested('To make a new plan, and to look at it', newPlan),
    ]);
    if (!wantsDocument(flags)) refuseUnreadSince(saved, planned.plan, limits);
    // All that could not be read: when it was made, or now.
    const unread = [...saved.coverage.problems, ...planned.plan.coverage.problems];
    const plan = withVersionsNow(withProblems(saved, unread), planned.plan);
    return { ...planned, plan };
  };
  const planned = await orInterrupted(replan(), signal);
  const outcome = new DeleteOutcome(options.ignoreNotFound);
  if (wantsDocument(flags)) {
    await printPreview(planned, deletion);
    return outcome;
  }
  const performOptions = performOptionsOf(deletion, { replan, useResourceVersion: true });
  const summary = await performAndShow(planned, deletion, performOptions);
  if (summary) await recordRun(summary, gotten, deletion, outcome);
  return outcome;
}

/** What a plan says cannot be said again on the command line. */
function refuseOtherWishes(flags: DeleteFlags, { dryRun }: DeleteOptions): void {
  const unmet = dryRun !== 'none' && !wantsDocument(flags) ? 'dry-run' : undefined;
  const unsupported = unmet ?? (flags.interactive ? 'interactive' : undefined);
  if (unsupported !== undefined) {
    throw usageError(
      `--${unsupported} cannot be given with a saved plan: it is performed, or looked at`,
      ['To look at it: --preview. To perform it: --yes, or without it on a terminal, which asks.'],
    );
  }
  const fixed = ['cascade', 'grace-period', 'now', 'force', 'compare'] as const;
  const wish = fixed.find((flag) => flags[flag] !== undefined && flags[flag] !== false);
  if (wish === undefined) return;
  throw usageError(`--${wish} cannot be given with a saved plan, which says that already`, [
    suggested('To make another plan', newPlan),
  ]);
}

/** A plan names the namespace of each object: `-n` chooses nothing, and another one is a mistake. */
function refuseOtherNamespace({ requests }: Plan, file: string, { namespace = '' }: DeleteFlags) {
  const other = requests.find(
    (request) => request.namespace !== '' && request.namespace !== namespace,
  );
  if (namespace === '' || !other) return;
  throw usageError(
    `${file} deletes in namespace ${other.namespace}, and --namespace is ${namespace}`,
    ['Leave out --namespace: a plan names the namespace of each object.'],
  );
}

/** How the plan was made, as far as it matters for making it again. */
function plannedOptions({ requests }: Plan, given: DeleteOptions): DeleteOptions {
  const [first] = requests;
  return {
    ...given,
    policy: first?.propagationPolicy ?? 'Background',
    gracePeriodSeconds: first?.gracePeriodSeconds,
    // Labels are compared where the plan has them.
    selectedBy: 'labels',
  };
}

function plannedTargets({ requests }: Plan, { types }: OpenedCluster) {
  return requests.map(({ apiVersion, kind, namespace, name }, position) => {
    const type = types.find(apiVersion, kind);
    if (type) return { type, namespace, name, position };
    throw new GcError(`${apiVersion} ${kind} is not served any more; nothing was sent`, {
      code: 'moved',
      suggestions: [suggested('To make a new plan', newPlan)],
    });
  });
}

/** What may not be looked at is not gone: it is unknown whether it is as planned. */
function refuseUnseen(gotten: readonly DeletionTarget[], file: string): void {
  const failures = gotten.flatMap(({ failure }) => failure ?? []);
  const unseen = failures.filter((failure) => !isNotFound(failure)).map(messageOf);
  if (unseen.length === 0) return;
  throw new GcError(`what ${file} would delete could not be looked at; nothing was sent`, {
    code: 'unreadable-target',
    suggestions: unseen.slice(0, 5),
  });
}

/** A status that was written since is no reason to refuse: what was compared is bound to. */
function withVersionsNow(saved: Plan, now: Plan): Plan {
  const versions = new Map(now.requests.map((request) => [request.uid, request.resourceVersion]));
  const requests = saved.requests.map((request) => {
    const resourceVersion = request.dependsOn && versions.get(request.uid);
    return resourceVersion === undefined ? request : { ...request, resourceVersion };
  });
  return { ...saved, requests };
}

/** Writes a plan with its digest, to be performed later; `-` is stdout. */
export async function savePlan(plan: Plan, file: string, place: CommandPlace): Promise<void> {
  const text = `${jsonText(sealPlan(plan), 2)}\n`;
  warnOfGaps(plan.coverage.problems);
  if (file === '-') return writeOut(printedText(text));
  await refuseForeignFile(file, 'Plan', 'Nothing was deleted. Name another file with --plan FILE.');
  await writeWhole(file, text, {
    what: 'the plan',
    suggestions: ['Nothing was deleted. Name another file with --plan FILE.'],
    mode: 0o600,
  });
  writeErr(
    `Nothing was deleted. ${file} contains the plan: ${disappearingCount(plan)} would be deleted.`,
  );
  // A plan that was made from files is for no cluster.
  if (plan.cluster.server !== '') {
    const perform = shellCommand`kubectl gc delete --plan ${file}`;
    writeCommand('To perform it: ', printedCommand(perform, place));
  }
}

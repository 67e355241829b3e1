import { type ExitCode, exitCodes } from '../../errors.ts';
import { checkAccess } from '../delete/check-access.ts';
import { listenForInterruption, orInterrupted } from '../delete/interruption.ts';
import { onCluster } from '../delete/on-cluster.ts';
import { plannedCluster } from '../delete/planned-cluster.ts';
import { printDocument } from '../delete/print-plan.ts';
import { refuseDangerous } from '../delete/refusals.ts';
import { runPlan } from '../delete/run-plan.ts';
import type { OpenedCluster } from '../input.ts';
import { startProgress } from '../progress.ts';
import { writeErr } from '../streams.ts';
import { type ApplyFlags, applyOptionsOf, showingFlag } from './apply-flags.ts';
import { planWorkOnCluster } from './plan-work.ts';
import { rehearsedWork } from './rehearsed-work.ts';
import { reportNothing, reportRun } from './report-run.ts';
import { type Applying, settleWork } from './settle-work.ts';
import type { Work } from './work.ts';

/** Does by hand what a collector would do now, with all of a deletion's safeguards. */
export async function applyOnCluster(
  flags: ApplyFlags,
  look: (cluster: OpenedCluster) => Promise<Work>,
): Promise<ExitCode> {
  const options = applyOptionsOf(flags);
  for (const warning of options.warnings) writeErr(warning);
  const interruption = listenForInterruption();
  try {
    return await onCluster({ flags, options, interruption }, async ({ cluster }) => {
      const where = await orInterrupted(plannedCluster(cluster.client), interruption);
      return perform({ flags, options, interruption, cluster, where, look });
    });
  } finally {
    interruption.stop();
  }
}

async function perform(applying: Applying): Promise<ExitCode> {
  const { flags, options, interruption, cluster, where, look } = applying;
  const found = await orInterrupted(look(cluster), interruption);
  if (options.dryRun === 'client') {
    await preview(found, applying);
    return exitCodes.ok;
  }
  const requests = found.due.map(({ request }) => request);
  await orInterrupted(checkAccess({ requests }, cluster), interruption);
  const { work, refused } = await orInterrupted(rehearse(applying, found), interruption);
  const planned = await orInterrupted(planWorkOnCluster(cluster, work, where), interruption);
  if (planned.plan.requests.length === 0) {
    reportNothing(work, refused);
    return refused > 0 ? exitCodes.failed : exitCodes.ok;
  }
  const isRehearsal = options.dryRun === 'server';
  if (isRehearsal) refuseDangerous(planned.plan, flags, options, showingFlag);
  const plan = isRehearsal ? planned.plan : await settleWork(work, planned, applying);
  if (!plan) return exitCodes.ok;
  const account = await runPlan(plan, cluster, {
    options,
    output: flags.output,
    noColour: flags['no-color'] ?? false,
    useResourceVersion: true,
    interruption,
    asCollector: true,
  });
  return reportRun(account, { refused, isRehearsal });
}

/** `--dry-run=client`: the plan as a document. */
async function preview(found: Work, { flags, options, cluster, where }: Applying): Promise<void> {
  const planned = await planWorkOnCluster(cluster, found, where);
  await printDocument(planned, flags, options);
  writeErr('Nothing was sent (--dry-run=client).');
}

async function rehearse({ cluster, interruption }: Applying, found: Work) {
  const progress = startProgress('Having the server check what is to be written');
  try {
    return await rehearsedWork(cluster, found, interruption);
  } finally {
    progress.stop();
  }
}

import { discover } from '../../cluster/list/discover.ts';
import { Clearance } from '../../cluster/write/clearance.ts';
import { exitCodes } from '../../errors.ts';
import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import { kindAndName, referenceTo } from '../../kube/object-reference.ts';
import { printedPlace } from '../../output/printable.ts';
import { afterRequests } from '../../perform/failure.ts';
import { orInterrupted } from '../../perform/interrupted.ts';
import { listFormats } from '../../questions/render.ts';
import {
  isToDo,
  type RestoreResult,
  restore,
  restoredPaths,
} from '../../restore/perform/restore.ts';
import type { TargetOptions } from '../../restore/perform/restore-target.ts';
import {
  notRestored,
  type PlannedRestoration,
  type Restoration,
  type RestoredObject,
  restorationReport,
} from '../../restore/plan/restoration.ts';
import { verifyBackup } from '../../restore/plan/verify.ts';
import { readBackups } from '../../shell/input/read-backups.ts';
import type { OpenedCluster } from '../../shell/input/session.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { confirm, isInteractive, refuseUnasked } from '../../shell/terminal/confirm.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import { printManifests } from '../../shell/terminal/manifests.ts';
import { withProgress } from '../../shell/terminal/progress.ts';
import { warnOfGaps, writeErr } from '../../shell/terminal/streams.ts';
import {
  comparedWithCluster,
  comparedWithFiles,
  openBackup,
  planLive,
  refuseOtherCluster,
} from './plan-live.ts';
import { type RestoreFlags, restoreFlags, restoreRequestOf } from './restore-options.ts';

export default class Restore extends GcCommand {
  static override summary = 'Restore deleted objects from a backup';
  static override description = [
    'Creates the objects of a backup again, what others use first, and points every owner',
    'reference at the uid its owner has now. Objects that still exist are not changed, so that a',
    'run that was cut off can be repeated. With --from it takes manifests from elsewhere,',
    'shows which of them the garbage collector would delete immediately, and re-links them.',
    'With --against it compares with a saved snapshot, and contacts no cluster.',
  ].join(' ');
  static override usage = [
    '<%= command.id %> --verify (BACKUP | latest) [TYPE[/NAME]...]',
    '<%= command.id %> (BACKUP | latest | --from PATH...) [TYPE[/NAME]...] [--preview]',
    '<%= command.id %> --list [DIR]',
  ];
  static override examples = [
    '<%= config.bin %> restore --list',
    '<%= config.bin %> restore latest --preview',
    '<%= config.bin %> restore ./backup --yes',
    '<%= config.bin %> restore --from dump.yaml --dry-run=server',
    '<%= config.bin %> restore --from dump.yaml -o yaml --dry-run=client',
    '<%= config.bin %> restore --from examples/shop/faults/restored.yaml --against examples/clusters/shop.json.gz',
    '<%= config.bin %> restore --from examples/shop/faults/restored.yaml --against examples/clusters/shop.json.gz -o name',
    '<%= config.bin %> restore --from examples/shop/faults/restored.yaml --against examples/clusters/shop.json.gz -o json',
  ];
  static override strict = false;
  static override flags = restoreFlags;

  async run(): Promise<void> {
    await withInterruption((signal) => this.#restore(signal));
  }

  /** What is in the backup, compared with what is there now. */
  async #plan(
    request: ReturnType<typeof restoreRequestOf>,
    flags: RestoreFlags,
    signal: AbortSignal,
  ) {
    const opened = await orInterrupted(openBackup(request, flags), signal);
    const cluster = flags.against
      ? undefined
      : await orInterrupted(this.session(flags).clusterBesideFiles(), signal);
    const comparing = cluster
      ? comparedWithCluster(cluster)
      : comparedWithFiles(flags.against ?? [], flags);
    const compared = await orInterrupted(comparing, signal);
    const { where } = compared;
    refuseOtherCluster(opened.cluster, where, flags);
    const looking = planLive(opened, compared, request.targets, flags);
    const plan = await orInterrupted(looking, signal);
    return { ...plan, source: opened.source, cluster, where };
  }

  async #restore(signal: AbortSignal): Promise<void> {
    const { argv, flags } = await this.parse(Restore);
    const print = this.printer(flags, listFormats);
    if (flags.list) {
      const listed = await readBackups(argv as string[]);
      return print(listed, { observedAt: new Date().toISOString() });
    }
    const request = restoreRequestOf(argv as string[], flags);
    for (const warning of request.warnings) this.remark(warning);
    const plan = await this.#plan(request, flags, signal);
    const { source, cluster, where, planned, problems, live } = plan;
    if (request.asManifests) {
      warnOfGaps(problems);
      await printRelinked(planned, flags.output);
      return;
    }
    const reportOf = (state: Restoration['state'], results?: RestoreResults) =>
      restorationReport(planned, { source, cluster: where, state }, problems, results);
    const show = async (report: Restoration): Promise<void> => {
      await print(report, { observedAt: new Date().toISOString() });
      for (const line of restorationInWords(report)) this.remark(line);
    };
    if (flags.verify) {
      const verified = verifyBackup(planned, live);
      await show(reportOf('verified', verified));
      const isSame = [...verified.values()].every(({ outcome }) => outcome === 'same');
      return this.endWith(isSame ? exitCodes.ok : exitCodes.findings);
    }
    const dryRun = request.dryRun === 'server';
    const asks = !flags.yes && !dryRun && planned.some(isToDo);
    if (!cluster || flags.preview || request.dryRun === 'client') {
      await show(reportOf('planned'));
      if (!cluster) this.remark('No cluster was contacted.');
      return;
    }
    if (asks) {
      // One document on stdout, for whatever reads it.
      const isDocument = flags.output === 'json' || flags.output === 'yaml';
      const report = reportOf('planned');
      if (!isDocument || !isInteractive()) await show(report);
      else for (const line of restorationInWords(report)) this.remark(line);
      if (!(await agrees(flags.yes, signal))) return this.remark('Nothing was created.');
    }
    const paths = restoredPaths(planned);
    const agreed = flags.yes ? 'flag' : asks ? 'question' : 'command';
    const how = dryRun
      ? ({ dryRun } as const)
      : ({ dryRun, clearance: Clearance.grant('restoration', { paths, agreed }) } as const);
    const { results, interrupted } = await perform(planned, cluster, { ...how, signal });
    const state = interrupted ? 'interrupted' : dryRun ? 'rehearsed' : 'performed';
    const report = reportOf(state, results);
    await show(report).catch((error: unknown) => {
      throw afterRequests(error, dryRun ? 0 : acceptedIn(results));
    });
    if (interrupted) this.remark('Run it again to restore the rest.');
    // Something that should be there is not.
    const done = notRestored(report).length > 0 ? exitCodes.incomplete : exitCodes.ok;
    this.endWith(interrupted ? exitCodes.interrupted : done);
  }
}

type RestoreResults = NonNullable<Parameters<typeof restorationReport>[3]>;

async function agrees(isAgreed: boolean, signal: AbortSignal): Promise<boolean> {
  refuseUnasked(
    isAgreed,
    'nothing was created: there is no terminal to ask on',
    'Add --yes to restore, or --preview to see the plan only.',
  );
  return confirm('Restore them?', signal);
}

/** How many requests the server has taken. */
function acceptedIn(results: RestoreResults): number {
  return [...results.values()].filter(({ outcome }) => changingOutcomes.has(outcome)).length;
}

/** Prints what would be created, re-linked, for a pipe: YAML documents, or one List in JSON. */
async function printRelinked(
  planned: readonly PlannedRestoration[],
  format: string,
): Promise<void> {
  const { manifests, withoutUid } = relinkedManifests(planned);
  await printManifests(manifests, format);
  for (const { saved, because, action, wasTerminating } of planned) {
    if (action !== 'cannot' && !wasTerminating) continue;
    writeErr(`Warning: ${kindAndName(saved)} is left out: ${because}`);
  }
  if (withoutUid === 0) return;
  const what = withoutUid === 1 ? '1 reference is' : `${withoutUid} references are`;
  writeErr(
    `Warning: ${what} left out: their owners are among the manifests, and have no uid before they are created. Without --dry-run, restore creates them in order and sets all references.`,
  );
}

/** What would be created, with references to the owners that live now: for users who apply it themselves. */
function relinkedManifests(planned: readonly PlannedRestoration[]) {
  /** References to owners that are among the manifests, and have no uid before they are created. */
  let withoutUid = 0;
  const manifests = planned.flatMap(({ manifest, references }) => {
    if (!manifest) return [];
    const kept = references.filter(({ told }) => told.change !== 'dropped' && told.to !== '');
    withoutUid += references.filter(({ told }) => told.change === 'to-come').length;
    if (kept.length === 0) return manifest;
    const ownerReferences = kept.map(({ reference }) => reference);
    return { ...manifest, metadata: { ...manifest.metadata, ownerReferences } };
  });
  return { manifests, withoutUid };
}

/** Sends what was planned; Ctrl-C ends it after the requests that are on their way. */
async function perform(
  planned: readonly PlannedRestoration[],
  { client, types }: OpenedCluster,
  options: TargetOptions & { readonly signal: AbortSignal },
) {
  const total = planned.filter(isToDo).length;
  const seen = new Set<PlannedRestoration>();
  // A restored definition or APIService brings kinds that were not served when the command began.
  const bringsKinds = planned.some(
    ({ saved }) => saved.defines !== undefined || saved.type.kind === 'APIService',
  );
  return withProgress('Restoring', async (progress) => {
    const results = await restore(planned, client, types, {
      ...options,
      ...(bringsKinds && { discover: async () => (await discover(client)).types }),
      onWait: (what) => progress.update(`Waiting for ${what}`),
      onResult: (one, result) => {
        seen.add(one);
        progress.update(`Restoring: ${seen.size} of ${total} objects`);
        if (result.outcome === 'refused' || result.outcome === 'faulty') {
          writeErr(refusal(one, result));
        }
      },
    });
    return { results, interrupted: options.signal.aborted };
  });
}

function refusal({ saved }: PlannedRestoration, { outcome, message }: RestoreResult): string {
  const what = outcome === 'faulty' ? 'restored with a problem' : 'not restored';
  return `${printedPlace(referenceTo(saved))} ${what}: ${message ?? 'refused'}`;
}

function restorationInWords(restoration: Restoration): string[] {
  const { objects, state } = restoration;
  const taken = objects.filter(({ asSaved }) => asSaved?.action === 'delete').length;
  const counts = Map.groupBy<string, RestoredObject>(
    objects,
    ({ outcome, action }) => outcome ?? action,
  );
  const parts = [...outcomeWords].flatMap(([word, text]) => {
    const some = counts.get(word)?.length ?? 0;
    return some === 0 ? [] : `${some} ${text}`;
  });
  const needed = objects.filter((one) => one.neededBy && isToDo(one));
  return [
    needed.length > 0 && `What they need is restored as well: ${countsByKind(needed)}.`,
    taken > 0 &&
      state === 'planned' &&
      `Applied as they were saved, ${counted(taken, 'object')} would be deleted by the garbage collector immediately.`,
    `${stateWords[state]}: ${parts.join(', ')}.`,
  ].filter((line) => line !== false);
}

/** What the cluster has got by a request of this run. */
const changingOutcomes: ReadonlySet<RestoredObject['outcome']> = new Set([
  'created',
  'relinked',
  'patched',
  'faulty',
]);

const stateWords = {
  planned: 'Nothing was sent',
  rehearsed: 'Rehearsed on the server, and nothing was stored',
  performed: 'Done',
  interrupted: 'Interrupted',
  verified: 'Compared with the backup',
} as const;

const outcomeWords = new Map<string, string>([
  ['create', 'to create'],
  ['relink', 'to give an owner back'],
  ['patch', 'to patch'],
  ['created', 'created'],
  ['relinked', 'given an owner back'],
  ['patched', 'patched'],
  ['exists', 'there already'],
  ['skip', 'left out'],
  ['cannot', 'cannot be restored'],
  ['faulty', 'there with a problem'],
  ['refused', 'refused'],
  ['not-checked', 'not checked'],
  ['not-tried', 'not tried'],
  ['same', 'the same'],
  ['differs', 'different'],
  ['missing', 'missing'],
  ['unknown', 'unknown'],
]);

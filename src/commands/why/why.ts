import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { addressOf, shellCommand, suggested } from '../../command-line/shell-command.ts';
import { exitCodes, usageError } from '../../errors.ts';
import { timestampOf } from '../../kube/time.ts';
import { interrupted } from '../../perform/interrupted.ts';
import {
  documentFormats,
  isTable,
  pagedListFormats,
  pictureFormats,
} from '../../questions/render.ts';
import { diagnosisReport, garbageCollectorHealthReport } from '../../questions/why/document.ts';
import {
  type StuckDeletionsReport,
  stuckDeletionsReport,
} from '../../questions/why/stuck-document.ts';
import { booleanFlag, ofCluster, textFlag } from '../../shell/flags/flag-kinds.ts';
import {
  allNamespacesFlag,
  type CommonFlags,
  filenameFlag,
  fixFlags,
  outputFlag,
  watchFlag,
} from '../../shell/flags/flags.ts';
import { fleetOf } from '../../shell/fleet.ts';
import { refuseMissingNamespace } from '../../shell/input/missing-namespace.ts';
import { readSource } from '../../shell/input/read-question.ts';
import { type AllNamespaces, askedNamespace, kindsOf, scopeOf } from '../../shell/input/scope.ts';
import type { Session } from '../../shell/input/session.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { askWhy, explain, openInquiry } from '../../shell/questions/ask-why.ts';
import { refuseUnaskedFix } from '../../shell/terminal/confirm.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import { withProgress } from '../../shell/terminal/progress.ts';
import { countingHead, type Snapshot } from '../../snapshot/snapshot.ts';
import { type Canary, flyCanary } from '../../why/ask/canary.ts';
import { garbageCollectorHealth } from '../../why/garbage-collector/health.ts';
import { deletionsIn, investigate, leftOut, mostDeletions } from '../../why/investigate.ts';
import { offerFixes, withoutSteps } from './offer-fixes.ts';

export default class Why extends GcCommand {
  static override summary = 'Explain why an object is stuck or still exists';
  static override description = [
    'Each link is evidence that is read now: finalizers and whether their controller runs,',
    'dependents that block, the kubelet, the remaining content of a namespace, APIs and webhooks that',
    'do not answer. It says what could not be read. --fix offers the smallest step.',
    'Without an object, -A or -n lists every deletion that has not ended, the worst first.',
    '--gc looks at the garbage collector itself.',
  ].join(' ');
  static override usage = [
    '<%= command.id %> TYPE/NAME... [-n NAMESPACE] [--fix]',
    '<%= command.id %> [TYPE...] (-A | -n NAMESPACE)',
    '<%= command.id %> --gc [--canary]',
  ];
  static override examples = [
    '<%= config.bin %> why -A',
    '<%= config.bin %> why namespace/shop',
    '<%= config.bin %> why namespace/shop --watch',
    '<%= config.bin %> why pvc/data -n shop -o wide',
    '<%= config.bin %> why deployment/web -n shop --fix --dry-run',
    '<%= config.bin %> why pvc/data -n shop --fix --remove-finalizer example.com/backup --yes',
    '<%= config.bin %> why --gc --canary',
    '<%= config.bin %> why -A --from examples/clusters/shop.json.gz',
    '<%= config.bin %> why deployment/web -n shop --from examples/clusters/shop.json.gz',
    '<%= config.bin %> why namespace/preview-142 --from examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = {
    'all-namespaces': allNamespacesFlag,
    filename: filenameFlag,
    gc: booleanFlag('check the garbage collector itself', { exclusive: ['fix'] }),
    canary: ofCluster(
      booleanFlag('with --gc: measure with two ConfigMaps how soon it collects', {
        dependsOn: ['gc'],
      }),
    ),
    fix: booleanFlag('offer the smallest step, one at a time'),
    'remove-finalizer': textFlag(
      'FINALIZER',
      'with --fix: remove exactly this finalizer, though its program may be running',
      { dependsOn: ['fix'] },
    ),
    ...fixFlags,
    watch: watchFlag,
    output: outputFlag(pictureFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Why);
    // `why -n shop` and `why pods -n shop` ask about all of that namespace; `why pod web -n shop` names one.
    const { namespace, filename } = flags;
    const [first = ''] = argv as string[];
    const isNamed = argv.length > 1 || first.includes('/') || filename !== undefined;
    const isWithoutObject = namespace !== undefined && !isNamed;
    const asksAll = !flags.gc && (flags['all-namespaces'] || isWithoutObject);
    const formats = flags.gc ? documentFormats : pictureFormats;
    const print = this.printer(flags, asksAll ? pagedListFormats : formats);
    if (flags.gc) {
      if (argv.length > 0)
        throw usageError('--gc is about no object, and objects are named', [
          'Leave out --gc, or the objects.',
        ]);
      const { report, observedAt } = await askGarbageCollector(flags, this.session(flags));
      return print(report, { observedAt });
    }
    if (asksAll) {
      if (flags.fix) {
        throw usageError('--fix takes one step at a time: name the object', [
          suggested('To see what is stuck', shellCommand`kubectl gc why -A`),
        ]);
      }
      await this.answer({ flags, print, fleet: await fleetOf(flags) }, async (session) => {
        const { report, snapshot } = await askStuck(argv as string[], flags, session);
        const { records } = snapshot;
        const looked = { coverage: report.coverage, namespace: askedNamespace(flags), records };
        const [worst] = report.items;
        const remarks = worst ? [] : this.nothing('unfinished deletions', looked);
        const why = worst && shellCommand`kubectl gc why ${addressOf(worst.object)}`;
        const next = why && (['What to do', session.print(why)] as const);
        return { report, taken: { observedAt: report.at }, remarks, next };
      });
      return;
    }
    const dryRun = this.dryRun(flags);
    if (flags.fix && !flags.from && dryRun === 'none') {
      refuseUnaskedFix(flags.yes, flags.filename?.includes('-'));
    }
    const answer = await this.answer({ flags, print }, async (session) => {
      const taken = await askWhy(argv as string[], flags, session);
      const report = diagnosisReport(taken.explained, taken.problems, session.place);
      // The chain of a watched object shows that it was deleted.
      const unseen = flags.watch ? [] : taken.unseen.map((sentence) => `error: ${sentence}`);
      const exitCode = unseen.length > 0 ? exitCodes.failed : exitCodes.ok;
      const how = taken.absent && shellCommand`kubectl gc deleted ${addressOf(taken.absent)}`;
      const next = how && (['What deleted it', session.print(how)] as const);
      const isOffered = flags.fix && isTable(flags.output);
      const shown = isOffered ? withoutSteps(report) : report;
      const { place } = session;
      return { report: shown, offered: report, taken, remarks: unseen, next, exitCode, place };
    });
    if (!flags.fix || !answer) return;
    const { offered, taken, place } = answer;
    const { yes, 'remove-finalizer': finalizer } = flags;
    await withInterruption((signal) =>
      offerFixes(taken.cluster, offered, { yes, dryRun, finalizer, signal, place }),
    );
  }
}

/** Diagnoses every object that is being deleted: of some kinds, in a namespace or everywhere. */
async function askStuck(
  args: readonly string[],
  flags: CommonFlags & AllNamespaces,
  session: Session,
): Promise<{ readonly report: StuckDeletionsReport; readonly snapshot: Snapshot }> {
  const scopeIn = scopeOf(args, {});
  const source = await openInquiry(flags, session);
  const { known, namespace } = source;
  const inScope = scopeIn(known.types, undefined);
  const snapshot = await readSource(source, { namespace });
  await refuseMissingNamespace({
    flags,
    session,
    snapshot,
    defaultNamespace: source.cluster && namespace,
  });
  const subjects = deletionsIn(snapshot, namespace, inScope);
  return withProgress('Following what is being deleted', async () => {
    const looked = subjects.slice(0, mostDeletions);
    const { explained, readAt } = await explain(source, looked);
    const counted = { kinds: kindsOf(args, known.types, namespace), namespace };
    const left = leftOut(subjects.length);
    const { coverage } = countingHead('StuckDeletions', snapshot, counted, left);
    const at = known.now === undefined ? readAt : timestampOf(known.now);
    return { report: stuckDeletionsReport(explained, coverage, at, session.place), snapshot };
  });
}

const followTimeout = 60_000;

/** Looks at everything that keeps the garbage collector from collecting, and creates a canary if asked. */
async function askGarbageCollector(
  flags: CommonFlags & { readonly canary: boolean },
  session: Session,
) {
  const { known, answer, cluster } = await openInquiry(
    { ...flags, 'all-namespaces': true },
    session,
  );
  if (known.origin === 'files') {
    throw usageError(
      '--gc asks a cluster, and these files do not show whether its garbage collector works',
      [
        'Leave --from out, or name a snapshot that snapshot save saved with all that commands read.',
      ],
    );
  }
  return withProgress('Looking at the garbage collector', async () => {
    const { finding, readAt } = await investigate(known, garbageCollectorHealth, answer);
    const canary = cluster && flags.canary ? await interruptible(cluster.client) : undefined;
    return {
      report: garbageCollectorHealthReport(finding, canary, session.place),
      observedAt: readAt,
    };
  });
}

/** Ctrl-C ends the wait; the ConfigMaps are removed before the process ends. */
async function interruptible(client: ClusterClient): Promise<Canary> {
  return withInterruption(async (signal) => {
    const canary = await flyCanary(client, {
      namespace: client.namespace,
      patience: followTimeout,
      signal,
    });
    if (!signal.aborted) return canary;
    const left = canary.left.join(', ');
    throw interrupted(left === '' ? 'The canary was cleaned up.' : `Left behind: ${left}.`);
  });
}

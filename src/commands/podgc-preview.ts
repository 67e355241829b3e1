import { viewOf } from '../controllers/cluster-view.ts';
import { memoryFromLease } from '../controllers/decision.ts';
import { podGarbageCollector } from '../controllers/pod-gc/pod-gc.ts';
import { type Refusals, refusalsBy, refusalsNow } from '../deletion/plan/proven-refusals.ts';
import { usageError } from '../errors.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { leases } from '../kube/well-known-kinds.ts';
import { noneFound, Tally } from '../output/tally.ts';
import {
  type PodGcPreview as PodGcPreviewReport,
  podGcPreview,
  type ThresholdSource,
  withRefusedPods,
} from '../questions/podgc-preview/document.ts';
import type { GroupBy } from '../questions/podgc-preview/preview.ts';
import { listFormats } from '../questions/render.ts';
import { readFlagValue } from '../settings/flag-value.ts';
import { applyFlags, applyOptionsOf } from '../shell/flags/apply-flags.ts';
import { numberFlag, textFlag } from '../shell/flags/flag-kinds.ts';
import {
  type CommonFlags,
  listingFlags,
  outputFlag,
  settingsFlag,
  type ValuesOf,
  wholeScopeFlags,
} from '../shell/flags/flags.ts';
import { nowOf, remarksOnClock } from '../shell/input/clock.ts';
import { refuseMissingNamespace } from '../shell/input/missing-namespace.ts';
import { readQuestion } from '../shell/input/read-question.ts';
import { askedNamespace, scopeInWords, scopeOfFlags } from '../shell/input/scope.ts';
import type { Session } from '../shell/input/session.ts';
import { GcCommand } from '../shell/oclif/gc-command.ts';
import type { Judges } from '../shell/plan/admission-rules.ts';
import { findControllerSettings } from '../shell/settings/find-settings.ts';
import type { FoundSettings } from '../shell/settings/settings-in-files.ts';
import { orNothingSent } from '../shell/terminal/interruption.ts';
import { isolated } from '../snapshot/isolated.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

export default class PodGcPreview extends GcCommand {
  static override summary = 'Preview the Pods that pod garbage collection deletes';
  static override description = [
    'Its four steps: pods that have ended, above the threshold; deleted pods on Nodes that',
    'are out of service; Pods of Nodes that do not exist; deleted Pods without a Node. Also Pods that',
    'it has not acted on, and why. Deletes nothing without --apply.',
  ].join(' ');
  static override usage = '<%= command.id %> [--threshold N] [--keep N] [-n NAMESPACE] [--apply]';
  static override examples = [
    '<%= config.bin %> podgc-preview',
    '<%= config.bin %> podgc-preview --keep 3 --per owner -n shop',
    '<%= config.bin %> podgc-preview --threshold 100 --apply --max-deletes 500',
    '<%= config.bin %> podgc-preview --from examples/clusters/shop.json.gz',
    '<%= config.bin %> podgc-preview --keep 1 --per owner -n shop --from examples/clusters/shop.json.gz',
    '<%= config.bin %> podgc-preview --threshold 5 --from examples/clusters/shop.json.gz',
  ];
  static override flags = {
    ...wholeScopeFlags,
    threshold: textFlag(
      'N',
      'number of ended pods that may remain, as --terminated-pod-gc-threshold; 0 for all',
    ),
    keep: numberFlag('N', 'number of ended pods to keep in each group: a threshold of your own', {
      min: 0,
    }),
    per: textFlag(undefined, 'group of pods that --keep is for', {
      options: ['namespace', 'owner'],
      dependsOn: ['keep'],
    }),
    settings: settingsFlag,
    ...listingFlags,
    output: outputFlag(listFormats, 'table'),
    ...applyFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(PodGcPreview);
    const print = this.printer(flags, listFormats);
    const session = this.session(flags);
    if (flags.apply) applyOptionsOf(flags);
    const scope = scopeOfFlags(flags);
    const { keep, per = 'namespace' } = flags;
    const asked = foundSettings(flags, session);
    const found = await (flags.apply ? orNothingSent(asked) : asked);
    const { settings, source } = found;
    const previewOf = (snapshot: Snapshot): PodGcPreviewReport => {
      const now = nowOf(flags, snapshot);
      return podGcPreview(snapshot, {
        now,
        settings,
        source,
        memory: memoryFromLease(viewOf(snapshot), now),
        scope,
        ...(keep !== undefined && { own: { keep, per: per as GroupBy } }),
      });
    };
    if (flags.apply) {
      this.remark(thresholdLine(found));
      const { applyPodGc } = await import('../shell/apply/apply-pod-gc.ts');
      return this.endWith(await applyPodGc(flags, previewOf, session, found.seen));
    }
    await this.answer({ flags, print }, async () => {
      const kinds = [...podGarbageCollector.reads, leases];
      const snapshot = await readQuestion(flags, session, { kinds, facts: true });
      await refuseMissingNamespace({ flags, session, snapshot });
      const judges = flags.from
        ? undefined
        : await judgesOf(isolated(snapshot, previewOf), snapshot, session);
      const report = isolated(snapshot, (known) => {
        const preview = previewOf(known);
        return withRefusedPods(preview, refusalsOf(preview, known, judges));
      });
      const remarks = [
        ...remarksOnClock(flags, snapshot),
        ...this.#remarksOn(report, snapshot, found, flags),
      ];
      return { report, taken: snapshot, remarks };
    });
  }

  #remarksOn(
    report: PodGcPreviewReport,
    snapshot: Snapshot,
    found: FoundSettings,
    flags: PodGcFlags & { readonly output: string },
  ): string[] {
    const pods = snapshot.records.filter(({ type }) => groupResourceOf(type) === 'pods');
    const bare = pods.filter(({ facts }) => facts === undefined).length;
    const isRead = pods.length > 0 || viewOf(snapshot).covers('pods', '', '');
    const { items, waiting, unknown, steps, settings, coverage } = report;
    const namespace = askedNamespace(flags);
    const where = scopeInWords(namespace);
    const { deleted = [], ...others } = Object.groupBy(items, ({ finalizers, refused }) =>
      refused === undefined ? (finalizers.length > 0 ? 'stuck' : 'deleted') : 'refused',
    );
    const results = Object.entries(others).map(([how, { length }]) => `, ${length} will be ${how}`);
    const counts = `${deleted.length} will be deleted${results.join('')}, ${waiting.length} skipped, ${unknown.length} unknown`;
    const complete = coverage.complete && steps.every((one) => one.complete);
    return [
      bare > 0 &&
        `Of ${bare} of ${pods.length} pods only metadata was read: what becomes of these is unknown.`,
      !isRead && 'Pods were not read: what becomes of them is unknown.',
      thresholdLine(found),
      !settings.enabled && 'pod-garbage-collector-controller is switched off.',
      ...steps.map((one) => stepLine(one, { kinds: Number(isRead), objects: pods.length })),
      ...(items.length + waiting.length + unknown.length === 0
        ? this.nothing('pods that it would delete', {
            coverage: { complete, kinds: Number(isRead), objects: pods.length },
            namespace,
            records: pods,
          })
        : this.summary(flags, `Shown ${where}: ${counts}.`)),
    ].filter((line) => line !== false);
  }
}

function stepLine(
  { step, pods, complete, because }: PodGcPreviewReport['steps'][number],
  read: { readonly kinds: number; readonly objects: number },
): string {
  const count = pods > 0 && !complete ? `at least ${pods}` : `${pods}`;
  const found = pods === 0 ? noneFound(Tally.of(pods, { complete, ...read }), '0') : count;
  return read.kinds + read.objects === 0 ? `${step}: ${found}` : `${step}: ${found} (${because})`;
}

const sourceWords: Readonly<Record<ThresholdSource, string>> = {
  flag: 'from --threshold',
  settings: 'from --settings',
  cluster: 'from the cluster',
  default: "kube-controller-manager's default",
};

/** Webhooks and what answers behind them, which are read only where there is something to refuse. */
async function judgesOf(
  { items }: PodGcPreviewReport,
  snapshot: Snapshot,
  session: Session,
): Promise<Judges | undefined> {
  if (items.length === 0) return undefined;
  const { readRules } = await import('../shell/plan/admission-rules.ts');
  const { judges } = await readRules(await session.cluster(), duePodsIn(items, snapshot));
  return judges;
}

/** What webhooks without a server refuse of this; without `judges`, those of the snapshot. */
function refusalsOf(
  { items }: PodGcPreviewReport,
  snapshot: Snapshot,
  judges: Judges | undefined,
): Refusals {
  if (items.length === 0) return new Map();
  if (!judges) return refusalsNow(snapshot, 'delete');
  return refusalsBy(judges, { records: duePodsIn(items, snapshot) }, 'delete');
}

function duePodsIn(items: PodGcPreviewReport['items'], { records }: Snapshot) {
  const due = new Set(items.map(({ object }) => object.uid));
  return records.filter(({ uid }) => due.has(uid));
}

function thresholdLine({ settings, source, isAssumed }: FoundSettings): string {
  const doubt = isAssumed ? '; what it runs with was not read' : '';
  return `Threshold ${settings.terminatedPodGCThreshold} (${sourceWords[source]}${doubt}).`;
}

type PodGcFlags = CommonFlags & ValuesOf<typeof PodGcPreview.flags>;

async function foundSettings(flags: PodGcFlags, session: Session): Promise<FoundSettings> {
  const { threshold } = flags;
  const given = threshold === undefined ? undefined : parseThreshold(threshold);
  const found = await findControllerSettings(flags, session);
  if (given === undefined) return found;
  const settings = { ...found.settings, terminatedPodGCThreshold: given };
  return { settings, seen: found.seen, source: 'flag' };
}

/** As kube-controller-manager reads its flag. */
function parseThreshold(text: string): number {
  const { value, fault } = readFlagValue('threshold', 'int32', text);
  if (typeof value === 'number') return value;
  throw usageError(fault ?? '', [
    'Give a whole number from -2147483648 to 2147483647; 0 and below switch this step off.',
  ]);
}

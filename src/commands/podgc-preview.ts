import * as Flags from '@oclif/core/flags';
import { timeOf } from '../cli/clock.ts';
import {
  type FoundSettings,
  findCollectorSettings,
  parseThreshold,
} from '../cli/collector-settings.ts';
import { allNamespacesFlag, type CommonFlags, outputFlag, selectorFlags } from '../cli/flags.ts';
import { GcCommand } from '../cli/gc-command.ts';
import { openKinds } from '../cli/open-kinds.ts';
import { selectorsOf } from '../cli/selectors.ts';
import { viewOf } from '../collectors/cluster-view.ts';
import type { GroupBy } from '../collectors/pod-garbage-collector/own-threshold.ts';
import { rememberedBy } from '../collectors/remembered.ts';
import { usageError } from '../errors.ts';
import { listFormats } from '../reporters/render.ts';
import { podGcPreview, type ThresholdSource } from '../reports/podgc-preview.ts';

export default class PodGcPreview extends GcCommand {
  static override summary = 'Tell which pods pod garbage collection deletes, in its order.';
  static override description = [
    'Its four steps: pods that have ended, above the threshold; deleted pods on Nodes that',
    'are out of service; pods of Nodes that are gone; deleted pods without a Node. Also what',
    'it has not acted on, and why. Nothing is deleted.',
  ].join(' ');
  static override usage = 'podgc-preview [--threshold N] [--keep N] [-n NAMESPACE]';
  static override examples = [
    '<%= config.bin %> podgc-preview',
    '<%= config.bin %> podgc-preview --threshold 100 --from cluster.json.gz',
    '<%= config.bin %> podgc-preview --keep 3 --per owner -n shop',
  ];
  static override strict = false;
  static override flags = {
    'all-namespaces': allNamespacesFlag,
    ...selectorFlags,
    threshold: Flags.string({
      summary: 'how many ended pods may stay, as --terminated-pod-gc-threshold; 0 for all',
      helpValue: 'N',
    }),
    keep: Flags.string({
      summary: 'a threshold of your own: how many ended pods to keep in each group',
      helpValue: 'N',
    }),
    per: Flags.string({
      summary: 'what --keep counts by',
      options: ['namespace', 'owner'],
      dependsOn: ['keep'],
    }),
    settings: Flags.string({ summary: 'what runs in the cluster, as YAML' }),
    output: outputFlag(listFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(PodGcPreview);
    if (argv.length > 0) {
      throw usageError(
        'unexpected-argument',
        `podgc-preview takes no arguments: ${argv.join(' ')}`,
        'Narrow what is shown with -n and -l.',
      );
    }
    const print = this.printer(flags, listFormats);
    const matches = selectorsOf(flags);
    const own = ownThresholdOf(flags);
    const { settings, source } = await settingsOf(flags);
    const snapshot = await openKinds(flags, ['pods', 'nodes', 'leases.coordination.k8s.io']);
    const now = timeOf(flags)?.getTime() ?? Date.parse(snapshot.observedAt);
    const namespace = flags['all-namespaces'] ? undefined : flags.namespace;
    const report = podGcPreview(snapshot, {
      now,
      settings,
      source,
      memory: rememberedBy(viewOf(snapshot), now),
      scope: (pod) => (namespace === undefined || pod.namespace === namespace) && matches(pod),
      ...(own && { own }),
    });
    await print(report, snapshot);
    this.remark(`Threshold ${settings.terminatedPodGCThreshold} (${sourceWords[source]}).`);
    if (!report.settings.enabled) this.remark('pod-garbage-collector-controller is switched off.');
    for (const { step, pods, because } of report.steps)
      this.remark(`${step}: ${pods} (${because})`);
  }
}

const sourceWords: Readonly<Record<ThresholdSource, string>> = {
  flag: 'from --threshold',
  settings: 'from --settings',
  cluster: 'from the cluster',
  default: "kube-controller-manager's default",
};

interface PodGcFlags {
  readonly threshold?: string | undefined;
  readonly settings?: string | undefined;
  readonly keep?: string | undefined;
  readonly per?: string | undefined;
}

async function settingsOf(flags: CommonFlags & PodGcFlags): Promise<FoundSettings> {
  const { threshold } = flags;
  const given = threshold === undefined ? undefined : parseThreshold(threshold, '--threshold');
  const found = await findCollectorSettings(flags);
  if (given === undefined) return found;
  return { settings: { ...found.settings, terminatedPodGCThreshold: given }, source: 'flag' };
}

function ownThresholdOf({ keep, per = 'namespace' }: PodGcFlags) {
  if (keep === undefined) return undefined;
  if (!/^\d+$/.test(keep)) {
    throw usageError('invalid-keep', `--keep "${keep}" is not a number of pods`, 'As in --keep 3.');
  }
  return { keep: Number(keep), per: per as GroupBy };
}

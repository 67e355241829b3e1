import { getObjects } from '../../cluster/list/get-objects.ts';
import { Mentions } from '../../delivery/mentions.ts';
import { nodeType } from '../../kube/core-types.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import {
  isDueNow,
  type OrphansReport,
  orphansReport,
  withCollector,
  withSilentNodes,
} from '../../questions/orphans/document.ts';
import { orphansSummary } from '../../questions/orphans/text.ts';
import { pagedListFormats } from '../../questions/render.ts';
import { booleanFlag } from '../../shell/flags/flag-kinds.ts';
import { listingFlags, outputFlag, scopeFlags, watchFlag } from '../../shell/flags/flags.ts';
import { fleetOf } from '../../shell/fleet.ts';
import { nowOf } from '../../shell/input/clock.ts';
import { openListed } from '../../shell/input/open-objects.ts';
import type { OpenedCluster } from '../../shell/input/session.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { askCollector, nextOf } from '../../shell/questions/ask-collector.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import { isolated } from '../../snapshot/isolated.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

export default class Orphans extends GcCommand {
  static override summary = 'List objects whose owners do not exist, and their fate';
  static override description = [
    'For each object: what the garbage collector does with it, and when. Pods that a',
    'deleted Job left behind are among them.',
  ].join(' ');
  static override usage = '<%= command.id %> [TYPE...] [-n NAMESPACE | -A] [-w]';
  static override examples = [
    '<%= config.bin %> orphans -A',
    '<%= config.bin %> orphans pods,secrets -n shop -o wide',
    '<%= config.bin %> orphans -A --watch',
    '<%= config.bin %> orphans -A --from examples/clusters/shop.json.gz',
    '<%= config.bin %> orphans pods,secrets -A -o wide --from examples/clusters/shop.json.gz',
    '<%= config.bin %> orphans -A --unmanaged --from examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = {
    ...scopeFlags,
    unmanaged: booleanFlag(
      'also objects without an owner that no Helm, Argo CD or Flux made, nor Kubernetes itself',
    ),
    generations: booleanFlag(
      'also ConfigMaps and Secrets of kustomize (NAME-HASH) that no living object names',
    ),
    ...listingFlags,
    watch: watchFlag,
    output: outputFlag(pagedListFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Orphans);
    const print = this.printer(flags, pagedListFormats);
    await this.answer({ flags, print, fleet: await fleetOf(flags) }, async (session) => {
      const { unmanaged, generations } = flags;
      const mentions = unmanaged || generations ? new Mentions() : undefined;
      const opened = await openListed(argv as string[], flags, session, {
        ...mentions?.listeners,
        // Leases show who renews them.
        ...(unmanaged && { facts: 'few' as const }),
      });
      const { snapshot, scope, counted, namespace, cluster } = opened;
      if (mentions && cluster) {
        // Few calls ask for it, and it brings what `why` asks a cluster with.
        const { readMentions } = await import('./read-mentions.ts');
        await readMentions(cluster, namespace, mentions);
      }
      const all = isolated(snapshot, (known) =>
        orphansReport(buildGraph(known), { scope, counted, unmanaged, generations, mentions }),
      );
      const found = withSilentNodes(all, await readDuePods(cluster, snapshot, all));
      const due = new Set(found.items.filter(isDueNow).map(({ object }) => object.uid));
      const report = withCollector(
        found,
        await askCollector(cluster, snapshot, nowOf(flags, snapshot), due),
      );
      const looked = { coverage: report.coverage, namespace, records: snapshot.records };
      const isEmpty = report.items.length === 0;
      const remarks = isEmpty
        ? this.nothing('orphans', looked)
        : this.summary(flags, orphansSummary(report));
      const further = () => this.again(flags, (line) => [...line, '--unmanaged']);
      const next =
        nextOf(report.garbageCollector, session) ??
        (isEmpty && !unmanaged
          ? (['Left without owner references', further()] as const)
          : undefined);
      return { report, taken: snapshot, remarks, next };
    });
  }
}

/** The maximum number of Pods to read. */
const mostPods = 100;

/** The Pods that are deleted now and their Nodes, in full: of a cluster only metadata was listed. */
async function readDuePods(
  cluster: OpenedCluster | undefined,
  { records }: Snapshot,
  { items }: OrphansReport,
): Promise<readonly ObjectRecord[]> {
  const due = new Set(items.filter(isDueNow).map(({ object }) => object.uid));
  const pods = records.filter((record) => isPod(record) && due.has(record.uid));
  if (pods.length === 0 || !cluster || cluster.following) return records;
  const read = await inFull(cluster, pods.slice(0, mostPods));
  const names = new Set(read.flatMap((pod) => knownNodeOf(pod) || []));
  const nodes = [...names].map((name) => ({ type: nodeType, namespace: '', name }));
  return [...read, ...(await inFull(cluster, nodes))];
}

async function inFull(
  { client }: OpenedCluster,
  wanted: Parameters<typeof getObjects>[1],
): Promise<ObjectRecord[]> {
  const answers = await getObjects(client, wanted, { facts: true });
  return answers.flatMap(({ record }) => record ?? []);
}

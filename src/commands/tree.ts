import {
  allNamespacesFlag,
  filenameFlag,
  listingFlags,
  outputFlag,
  refusedFlags,
  selectorFlags,
} from '../cli/flags/flags.ts';
import { openTree } from '../cli/input/open-objects.ts';
import { GcCommand } from '../cli/oclif/gc-command.ts';
import { containedIn, treeReport } from '../output/documents/owners-and-tree.ts';
import { graphFormats } from '../output/render.ts';

/** The content of this many namespaces or nodes is shown. */
const mostRoots = 10;

export default class Tree extends GcCommand {
  static override summary =
    'Show everything that an object owns, and what a deletion would remove with it.';
  static override description = [
    'References are followed from owner to dependent, by uid, as the garbage collector',
    'does. Every edge shows what the garbage collector makes of it (solid, dangling,',
    'waiting, unresolvable, unknown) and whether it blocks a foreground deletion.',
  ].join(' ');
  static override usage = '<%= command.id %> TYPE/NAME... [-n NAMESPACE]';
  static override examples = [
    '<%= config.bin %> tree deployment/web -n shop',
    '<%= config.bin %> tree deployments -n shop -l app=web -o name',
    '<%= config.bin %> tree namespace/shop -o mermaid --from examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = {
    'all-namespaces': allNamespacesFlag,
    ...selectorFlags,
    filename: filenameFlag,
    ...listingFlags,
    ...refusedFlags('sort-by'),
    output: outputFlag(graphFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Tree);
    const print = this.printer(flags, graphFormats, {
      'sort-by': 'the order of the rows shows who owns whom',
    });
    const opened = await openTree(argv as string[], flags, this.session(flags));
    const { graph, roots, namespace } = opened;
    const { snapshot } = graph;
    const report = treeReport(graph, roots);
    await print(report, snapshot);
    if (roots.length === 0) {
      const looked = { ...report.coverage, namespace, records: snapshot.records };
      this.remarkNothing('resources', looked);
    }
    for (const root of roots.slice(0, mostRoots)) {
      const contained = containedIn(graph, root);
      if (contained !== undefined) this.remark(contained);
    }
    if (report.edges.length === 0 && roots.length > 0) {
      const { kinds } = report.coverage;
      this.remark(
        `No reference points here (${kinds} ${kinds === 1 ? 'kind' : 'kinds'} searched).`,
      );
    }
  }
}

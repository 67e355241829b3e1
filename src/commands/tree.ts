import { allNamespacesFlag, filenameFlag, outputFlag, selectorFlags } from '../cli/flags/flags.ts';
import { openTree } from '../cli/input/open-objects.ts';
import { namespaceOf } from '../cli/input/scope.ts';
import { GcCommand } from '../cli/oclif/gc-command.ts';
import { containedIn, treeReport } from '../output/documents/owners-and-tree.ts';
import { graphFormats } from '../output/render.ts';
import { buildGraph } from '../snapshot/graph/graph.ts';

/** Of how many namespaces or nodes their content is told. */
const mostRoots = 10;

export default class Tree extends GcCommand {
  static override summary =
    'Show everything that is owned by an object, and what would go with it.';
  static override description = [
    'References are followed from owner to dependent, by uid, as the garbage collector',
    'does. Every edge is marked with what the collector makes of it (solid, dangling,',
    'waiting, unresolvable, unknown) and whether it blocks a foreground deletion.',
  ].join(' ');
  static override usage = 'tree TYPE/NAME... [-n NAMESPACE]';
  static override examples = [
    '<%= config.bin %> tree deployment/web -n shop',
    '<%= config.bin %> tree deployments -l app=web',
    '<%= config.bin %> tree deploy/web -o mermaid --from cluster.yaml',
  ];
  static override strict = false;
  static override flags = {
    'all-namespaces': allNamespacesFlag,
    ...selectorFlags,
    filename: filenameFlag,
    output: outputFlag(graphFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Tree);
    const print = this.printer(flags, graphFormats);
    const { snapshot, roots } = await openTree(argv as string[], flags, this.session(flags));
    const graph = buildGraph(snapshot);
    const report = treeReport(graph, roots);
    await print(report, snapshot);
    if (roots.length === 0) {
      const { coverage } = report;
      this.remarkNothing('resources', { ...coverage, namespace: namespaceOf(flags) });
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

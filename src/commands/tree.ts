import { counted } from '../kube/counts-by-kind.ts';
import { appliedIn } from '../questions/delete/applied.ts';
import { contentsSentence, mostContainers } from '../questions/owners/contents.ts';
import { treeReport } from '../questions/owners/document.ts';
import { graphFormats } from '../questions/render.ts';
import {
  filenameFlag,
  outputFlag,
  scopeFlags,
  tableFlags,
  watchFlag,
} from '../shell/flags/flags.ts';
import { openTree } from '../shell/input/open-objects.ts';
import { GcCommand } from '../shell/oclif/gc-command.ts';
import { observedGraph } from '../shell/questions/observed-graph.ts';
import { buildGraph } from '../snapshot/graph/graph.ts';
import { isolated } from '../snapshot/isolated.ts';

export default class Tree extends GcCommand {
  static override summary = 'Show the dependents of an object';
  static override description = [
    'References are followed from owner to dependent, by uid, as the garbage collector',
    'does. Every edge shows what the garbage collector makes of it (solid, dangling,',
    'waiting, unresolvable, unknown) and whether it blocks a foreground deletion.',
  ].join(' ');
  static override usage = '<%= command.id %> TYPE/NAME... [-n NAMESPACE] [-w]';
  static override examples = [
    '<%= config.bin %> tree deployment/web -n shop',
    '<%= config.bin %> tree deployment/web -n shop --watch',
    '<%= config.bin %> tree deployments -n shop -l app=web -o name',
    '<%= config.bin %> tree deployment/web -n shop --from examples/clusters/shop.json.gz',
    '<%= config.bin %> tree deployments -A -o name --from examples/clusters/shop.json.gz',
    '<%= config.bin %> tree namespace/shop -o mermaid --from examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = {
    ...scopeFlags,
    filename: filenameFlag,
    ...tableFlags,
    watch: watchFlag,
    output: outputFlag(graphFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Tree);
    const print = this.printer(flags, graphFormats);
    await this.answer({ flags, print }, async (session) => {
      const opened = await openTree(argv as string[], flags, session);
      const { namespace } = opened;
      const { snapshot } = opened.graph;
      const { judged, roots, remarks } = isolated(snapshot, (known, same) => {
        const graph = known === snapshot ? opened.graph : buildGraph(known);
        const roots = same(opened.roots);
        const remarks = roots
          .slice(0, mostContainers)
          .flatMap((root) => contentsSentence(graph, root) ?? appliedIn(graph, root) ?? []);
        return { judged: treeReport(graph, roots), roots, remarks };
      });
      const report = await observedGraph(judged, snapshot, flags, session);
      const used = (report.uses ?? []).filter(({ state }) => state === 'used');
      for (const { object, because } of used.slice(0, mostContainers)) {
        const node = report.nodes.find(({ id }) => id === object);
        if (node) remarks.push(`${node.kind} ${node.name} is ${because}.`);
      }
      if (roots.length === 0) {
        const looked = { coverage: report.coverage, namespace, records: snapshot.records };
        remarks.push(...this.nothing('resources', looked));
      } else if (report.edges.length === 0 && !report.contents && !report.applied) {
        const { kinds, complete } = report.coverage;
        const found = complete ? 'points here' : 'that points here was found in what could be read';
        remarks.push(`No reference ${found} (${counted(kinds, 'kind')} searched).`);
      }
      return { report, taken: snapshot, remarks };
    });
  }
}

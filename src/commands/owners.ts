import { ownersReport } from '../questions/owners/document.ts';
import { relationInWords } from '../questions/owners/unreferenced-relations.ts';
import { graphFormats } from '../questions/render.ts';
import { filenameFlag, outputFlag, tableFlags } from '../shell/flags/flags.ts';
import { openOwners } from '../shell/input/open-objects.ts';
import { GcCommand } from '../shell/oclif/gc-command.ts';
import { observedGraph } from '../shell/questions/observed-graph.ts';
import { buildGraph } from '../snapshot/graph/graph.ts';
import { isolated } from '../snapshot/isolated.ts';

export default class Owners extends GcCommand {
  static override summary = 'Show the owners of an object up to the roots';
  static override description = [
    'Each reference is looked up as the garbage collector does it: by its version, kind',
    'and name, in the namespace of the object that carries it. On a cluster this takes one',
    'GET for each object on the way up, and no list.',
  ].join(' ');
  static override usage = '<%= command.id %> TYPE/NAME... [-n NAMESPACE]';
  static override examples = [
    '<%= config.bin %> owners deployment/web -n shop',
    '<%= config.bin %> owners secret/web-session-keys -n shop -o json',
    '<%= config.bin %> owners pod/web-86864d7b59-68df5 -n shop --from examples/clusters/shop.json.gz',
    '<%= config.bin %> owners secret/web-session-keys -n shop -o tree --from examples/clusters/shop.json.gz',
    '<%= config.bin %> owners statefulset/orders-db -n payments --from examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = {
    filename: filenameFlag,
    ...tableFlags,
    output: outputFlag(graphFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Owners);
    const print = this.printer(flags, graphFormats);
    const session = this.session(flags);
    const { snapshot, roots } = await openOwners(argv as string[], flags, session);
    const judged = isolated(snapshot, (known, same) =>
      ownersReport(buildGraph(known), same(roots)),
    );
    const report = await observedGraph(judged, snapshot, flags, session);
    await print(report, snapshot);
    const asked = new Set(report.roots);
    for (const root of report.nodes.filter((node) => asked.has(node.id))) {
      const related = (root.relations ?? []).map(
        (one) => ` Without an owner reference: ${relationInWords(one, root.namespace)}.`,
      );
      const applied = root.appliedBy === undefined ? '' : ` ${root.appliedBy} applied it.`;
      if (root.gc?.action === 'unowned')
        this.remark(`${root.kind}/${root.name} has no owner.${applied}${related.join('')}`);
    }
  }
}

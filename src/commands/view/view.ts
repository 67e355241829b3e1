import * as Flags from '@oclif/core/flags';
import { treeReport } from '../../output/documents/owners-and-tree.ts';
import { filenameFlag, scopeFlags } from '../../shell/flags/flags.ts';
import { openAllTrees, openTree } from '../../shell/input/open-objects.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { serveView } from './serve-view.ts';

export default class View extends GcCommand {
  static override summary = 'How does this look in a browser, and what changes?';
  static override description = [
    'Prints the address of a page for a browser on this machine, with a token without which',
    'nothing is answered. The page shows the trees of the objects that are named, or of a whole',
    'namespace, and is sent what changes. Nothing can be changed from it. Ctrl-C ends it.',
  ].join(' ');
  static override usage = '<%= command.id %> [TYPE/NAME...] [-n NAMESPACE | -A] [--port PORT]';
  static override examples = [
    '<%= config.bin %> view deployment/web -n shop',
    '<%= config.bin %> view -n shop --port 8081',
    '<%= config.bin %> view deployment/web -n shop --from examples/clusters/shop.json.gz',
    '<%= config.bin %> view -n payments --from examples/clusters/shop.json.gz',
    '<%= config.bin %> view -A --from examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = {
    ...scopeFlags,
    filename: filenameFlag,
    port: Flags.integer({
      summary: 'the port to serve on, at 127.0.0.1; a free one by default',
      helpValue: 'PORT',
      min: 0,
      max: 65_535,
    }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(View);
    const { port = 0 } = flags;
    const names = argv as string[];
    const isAll = names.length === 0 && flags.filename === undefined;
    this.endTelling();
    let title: string | undefined;
    await serveView(
      this.session(flags),
      { port, isLive: flags.from === undefined, title: () => title },
      async (session) => {
        const opened = isAll
          ? await openAllTrees(flags, session)
          : await openTree(names, flags, session);
        const { graph, roots, namespace } = opened;
        // The namespace is known once the kubeconfig was read.
        const where = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
        if (isAll) title = `Trees in ${where}`;
        return { report: treeReport(graph, roots), taken: graph.snapshot, remarks: [] };
      },
    );
  }
}

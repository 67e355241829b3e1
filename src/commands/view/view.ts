import type { PageData } from '../../output/pages/page-data.ts';
import { contentPolicyOf, pageHtml } from '../../output/pages/page-html.ts';
import { printedText } from '../../output/printable.ts';
import { type GraphReport, treeReport } from '../../questions/owners/document.ts';
import { graphPage } from '../../questions/owners/text.ts';
import { numberFlag } from '../../shell/flags/flag-kinds.ts';
import { filenameFlag, scopeFlags } from '../../shell/flags/flags.ts';
import { openAllTrees, openTree } from '../../shell/input/open-objects.ts';
import type { CommandAnswer } from '../../shell/oclif/answer.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { untilAborted, withInterruption } from '../../shell/terminal/interruption.ts';
import { tellErr, writeOut } from '../../shell/terminal/streams.ts';
import { changesBetween, isReadAlike } from '../../shell/watch/changes.ts';
import {
  changesShownFor,
  lookAgainAndAgain,
  type WatchView as Shown,
  skippedIn,
  type WatchedAnswer,
} from '../../shell/watch/look-again.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import { isolated } from '../../snapshot/isolated.ts';
import { jsonText } from '../../syntax/json-text.ts';
import {
  eventsFor,
  newToken,
  type PageServer,
  type ServedPage,
  startPageServer,
} from './page-server.ts';

export default class View extends GcCommand {
  static override summary = 'Open a command in a browser and follow the changes';
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
    port: numberFlag('PORT', 'the port to serve on, at 127.0.0.1; a free one by default', {
      min: 0,
      max: 65_535,
    }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(View);
    const names = argv as string[];
    const isAll = names.length === 0 && flags.filename === undefined;
    this.endTelling();
    const session = this.session(flags);
    // Files are read once.
    const isLive = flags.from === undefined;
    const view = new PageView(flags.port ?? 0, isLive);
    const ask = async (): Promise<CommandAnswer<GraphReport>> => {
      const opened = isAll
        ? await openAllTrees(flags, session)
        : await openTree(names, flags, session);
      const { graph, roots, namespace } = opened;
      // The namespace is known once the kubeconfig was read.
      const where = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
      if (isAll) view.title = `Trees in ${where}`;
      return {
        report: isolated(graph.snapshot, (known, same) =>
          treeReport(known === graph.snapshot ? graph : buildGraph(known), same(roots)),
        ),
        taken: graph.snapshot,
        remarks: [],
      };
    };
    const following = isLive ? await session.follow((line) => view.tell(line)) : undefined;
    await withInterruption(async (signal) => {
      try {
        if (following) await lookAgainAndAgain(view, following, ask, signal);
        else {
          await view.show({ answer: await ask(), lines: [], changes: 0, since: 0 });
          await untilAborted(signal);
        }
      } finally {
        following?.stop();
        await view.close();
      }
    });
  }
}

/** Ages are counted on, in milliseconds, where nothing else changes. */
const refreshAfter = 10_000;

/** What browsers see. The server starts with the first look, so that an error comes before there is a page. */
class PageView implements Shown {
  /** Undefined: the page's own. */
  title: string | undefined;
  readonly #port: number;
  readonly #isLive: boolean;
  readonly #token = newToken();
  #server: PageServer | undefined;
  #report: GraphReport | undefined;
  #page: PageData | undefined;
  #sentAt = 0;
  #told: { readonly line: string; readonly at: number } | undefined;

  constructor(port: number, isLive: boolean) {
    this.#port = port;
    this.#isLive = isLive;
  }

  async show({ answer: { report, taken }, changes, since }: WatchedAnswer): Promise<void> {
    const before = this.#report;
    const shown = report as GraphReport;
    this.#report = shown;
    const notice = skippedIn(changes, since) ?? this.#toldLately();
    const isSame =
      before !== undefined &&
      this.#page?.notice === notice &&
      isReadAlike(before, shown) &&
      performance.now() - this.#sentAt < refreshAfter &&
      changesBetween(before, shown).size === 0;
    if (isSame) return;
    const { title } = this;
    const now = Date.parse(taken.observedAt);
    const page = graphPage(shown, { colour: false, width: undefined, now });
    await this.#publish({
      ...page,
      ...(title !== undefined && { title }),
      ...(this.#isLive && { live: { events: eventsFor(this.#token) } }),
      ...(notice !== undefined && { notice }),
    });
  }

  async fail(message: string): Promise<void> {
    if (this.#page) await this.#publish({ ...this.#page, notice: `Not read again: ${message}` });
  }

  tell(line: string): void {
    tellErr(line);
    this.#told = { line, at: performance.now() };
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  #toldLately(): string | undefined {
    const { line, at = 0 } = this.#told ?? {};
    return performance.now() - at < changesShownFor ? line : undefined;
  }

  async #publish(data: PageData): Promise<void> {
    this.#page = data;
    this.#sentAt = performance.now();
    const page: ServedPage = {
      html: () => pageHtml(data),
      data: jsonText(data),
      policy: contentPolicyOf(data),
    };
    if (this.#server) this.#server.publish(page);
    else {
      const at = { port: this.#port, token: this.#token };
      this.#server = await startPageServer(at, page);
      await writeOut(printedText(`${this.#server.url}\n`));
      tellErr('Open this address in a browser on this machine; Ctrl-C ends it.');
    }
  }
}

import type { Action } from '../../controllers/garbage-collector/judge.ts';
import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import { appliedInWords } from '../documents/applied.ts';
import { type ContentsRow, contentNames } from '../documents/contents.ts';
import { appliedOf, type GraphReport, type ReportNode } from '../documents/owners-and-tree.ts';
import type { RenderOptions } from '../style.ts';
import { nodeColumns } from '../tables/graph-table.ts';
import { lineOf } from './owners-among.ts';
import type { PageData, PageReference, PageState } from './page-data.ts';
import {
  columnFacts,
  factsOf,
  PageObjects,
  pageHead,
  pageTable,
  stillView,
  titleOfSome,
} from './page-parts.ts';

/** `tree` and `owners`. */
export function graphPage(report: GraphReport, options: RenderOptions): PageData {
  const { kind, nodes, edges } = report;
  const contents = (report.kind === 'Tree' && report.contents) || [];
  const applied = appliedOf(report);
  const appliedBy = Map.groupBy(applied, ({ object }) => object);
  const roots = new Set(report.roots);
  const asked = nodes.filter(({ id }) => roots.has(id));
  const title = `${kind === 'Tree' ? 'Tree' : 'Owners'} of ${titleOfSome(asked)}`;
  const others = nodes.filter(({ id }) => !roots.has(id));
  const found = others.length === 0 ? 'nothing' : countsByKind(others);
  const leading = new Map(
    edges.map((edge) => [kind === 'Tree' ? edge.dependent : edge.owner, edge]),
  );
  const lines = nodes.map((node) => {
    const [tool] = appliedBy.get(node.id) ?? [];
    return { node, edge: leading.get(node.id), applied: tool, repeated: false };
  });
  const columns = nodeColumns(options);
  const objects = new PageObjects();
  for (const line of lines) {
    const { id, gc, deletionTimestamp } = line.node;
    const more = factsOf(
      ['Applied by', line.node.appliedBy],
      ['When that goes', (appliedBy.get(id) ?? []).map(appliedInWords).join('; ')],
      ['Rule', gc?.rule],
      ['Being deleted since', deletionTimestamp],
    );
    objects.add(line.node, stateOf(line.node), [...columnFacts(line, columns), ...more], id);
  }
  for (const row of contents) {
    const below = row.below > 0 ? counted(row.below, 'object') : undefined;
    const facts = factsOf(['Names', contentNames(row)], ['Below', below]);
    objects.add(contentReference(row), contentState, facts, contentId(row));
  }
  return {
    ...pageHead(report, options),
    title,
    summary: [kind === 'Tree' ? `Below it: ${found}.` : `Above it: ${found}.`],
    objects: objects.all(),
    references: [
      ...edges.map((edge) => lineOf(edge, edge.class, `${edge.because} (${edge.rule})`)),
      ...applied.map((edge): PageReference => {
        const { tool: owner, object: dependent } = edge;
        return { owner, dependent, class: 'applied', because: appliedInWords(edge) };
      }),
      ...contents.map((row): PageReference => {
        const because = 'no reference says so: a deletion takes it along';
        return { owner: row.container, dependent: contentId(row), class: 'contains', because };
      }),
    ],
    views: [stillView(title)],
    table: pageTable(
      lines,
      columns,
      ({ node }) => node.id,
      contents.map((row) => {
        const { words: Remarks } = contentState;
        const cells = { Reference: 'contains', Remarks, Reason: contentNames(row) };
        return { object: contentId(row), cells };
      }),
    ),
  };
}

const contentState: PageState = { mark: 'goes', words: 'goes with what contains it' };

function contentId({ container, apiVersion, kind, namespace }: ContentsRow): string {
  return ['contents', container, apiVersion, kind, namespace].join(' ');
}

/** What is alike is one box. */
function contentReference({ apiVersion, kind, namespace, count, names }: ContentsRow) {
  const name = count === 1 ? (names[0] ?? '') : counted(count, 'object');
  return { apiVersion, kind, namespace, name, uid: '' };
}

/** What the garbage collector does, looking once. */
export const actionStates: Readonly<Record<Action, PageState>> = {
  delete: { mark: 'goes', words: 'will be deleted' },
  patch: { mark: 'changes', words: 'loses a reference' },
  keep: { mark: 'stays', words: 'stays' },
  unowned: { mark: 'plain', words: 'has no owner' },
  frozen: { mark: 'frozen', words: 'is never deleted' },
  terminating: { mark: 'stuck', words: 'is being deleted' },
  ignored: { mark: 'plain', words: 'is not watched' },
  unknown: { mark: 'unknown', words: 'unknown whether it stays' },
};

function resultOf({ observed, gc }: ReportNode): PageState {
  if (!observed || !gc) return { mark: 'unseen', words: 'was not seen' };
  return actionStates[gc.action];
}

/** `1/1 Running, stays`: only what stands well is checked. */
function stateOf(node: ReportNode): PageState {
  const isGoing = node.deletionTimestamp !== undefined;
  const { mark, words } = isGoing ? actionStates.terminating : resultOf(node);
  const ready = node.ready === 'no' ? 'not ready' : node.ready;
  const status = [ready, node.status].filter((part) => part !== undefined).join(' ');
  const isChecked = mark !== 'stays' || isWell(node);
  const told = node.status === undefined ? words : isGoing ? status : `${status}, ${words}`;
  return { mark: isChecked ? mark : 'plain', words: told };
}

const notWell: ReadonlySet<string> = new Set(['Failed', 'Lost', 'Pending', 'Unknown']);

function isWell({ ready = '', status = '' }: ReportNode): boolean {
  const [now, wanted = now] = ready.split('/');
  return (
    /^(Completed?|Succeeded)$/.test(status) ||
    (now !== 'no' && now === wanted && !notWell.has(status))
  );
}

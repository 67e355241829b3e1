import type { Action } from '../../controllers/garbage-collector/judge.ts';
import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import { age } from '../../kube/time.ts';
import { type AppliedEdge, appliedInWords } from '../documents/applied.ts';
import { type ContentsRow, contentNames } from '../documents/contents.ts';
import { appliedOf, type GraphReport, type ReportNode } from '../documents/owners-and-tree.ts';
import type { RenderOptions } from '../style.ts';
import { lineOf } from './owners-among.ts';
import type { PageData, PageObject, PageReference, PageState } from './page-data.ts';
import { factsOf, identityFacts, pageHead, stillView, titleOfSome } from './page-parts.ts';

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
  return {
    ...pageHead(report, options),
    title,
    summary: [kind === 'Tree' ? `Below it: ${found}.` : `Above it: ${found}.`],
    objects: [
      ...nodes.map((node) => objectOf(node, options, appliedBy.get(node.id))),
      ...contents.map(contentObject),
    ],
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
    table: {
      columns: ['Status', 'Age', 'Reference', 'Result', 'Reason'],
      rows: [
        ...nodes.map((node) => {
          const edge = leading.get(node.id);
          return {
            object: node.id,
            cells: [
              node.observed ? (node.status ?? '') : 'not seen',
              node.observed ? age(node.creationTimestamp, options.now) : '',
              edge ? edge.class : appliedBy.has(node.id) ? 'applied' : '',
              resultOf(node).words,
              node.gc?.because ?? edge?.because ?? '',
            ],
          };
        }),
        ...contents.map((row) => ({
          object: contentId(row),
          cells: ['', '', 'contains', contentState.words, row.names.join(', ')],
        })),
      ],
    },
  };
}

const contentState: PageState = { mark: 'goes', words: 'goes with what contains it' };

function contentId({ container, apiVersion, kind, namespace }: ContentsRow): string {
  return ['contents', container, apiVersion, kind, namespace].join(' ');
}

/** What is alike is one box. */
function contentObject(row: ContentsRow): PageObject {
  const { apiVersion, kind, namespace, count, below, names } = row;
  const name = count === 1 ? (names[0] ?? '') : counted(count, 'object');
  return {
    ...{ apiVersion, kind, namespace, name, uid: '', id: contentId(row) },
    state: contentState,
    facts: factsOf(
      ['Names', contentNames(row)],
      ['Below', below > 0 ? counted(below, 'object') : undefined],
    ),
  };
}

function objectOf(
  node: ReportNode,
  { now }: RenderOptions,
  applied: readonly AppliedEdge[] = [],
): PageObject {
  const { apiVersion, kind, namespace, name, uid, id, gc, finalizers } = node;
  return {
    ...{ apiVersion, kind, namespace, name, uid, id },
    state: stateOf(node),
    facts: [
      ...factsOf(
        ['Reason', gc?.because],
        ['Applied by', node.appliedBy],
        ['When that goes', applied.map(appliedInWords).join('; ')],
        ['Rule', gc?.rule],
        ['Ready', node.ready],
        ['Status', node.status],
        ['Age', node.creationTimestamp && age(node.creationTimestamp, now)],
        ['Being deleted since', node.deletionTimestamp],
        ['Finalizers', finalizers.join(' ')],
      ),
      ...identityFacts(node),
    ],
  };
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

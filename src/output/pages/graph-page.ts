import type { Action } from '../../controllers/garbage-collector/judge.ts';
import { age } from '../../kube/time.ts';
import type { GraphReport, ReportNode } from '../documents/owners-and-tree.ts';
import type { RenderOptions } from '../style.ts';
import { lineOf } from './owners-among.ts';
import type { PageData, PageObject, PageState } from './page-data.ts';
import { factsOf, identityFacts, kindsOf, pageHead, stillView, titleOfSome } from './page-parts.ts';

/** `tree` and `owners`. */
export function graphPage(report: GraphReport, options: RenderOptions): PageData {
  const { kind, nodes, edges } = report;
  const roots = new Set(report.roots);
  const asked = nodes.filter(({ id }) => roots.has(id));
  const title = `${kind === 'Tree' ? 'Tree' : 'Owners'} of ${titleOfSome(asked)}`;
  const others = nodes.filter(({ id }) => !roots.has(id));
  const found = others.length === 0 ? 'nothing' : kindsOf(others);
  const leading = new Map(
    edges.map((edge) => [kind === 'Tree' ? edge.dependent : edge.owner, edge]),
  );
  return {
    ...pageHead(report, options),
    title,
    summary: [kind === 'Tree' ? `Below it: ${found}.` : `Above it: ${found}.`],
    objects: nodes.map((node) => objectOf(node, options)),
    references: edges.map((edge) => lineOf(edge, edge.class, `${edge.because} (${edge.rule})`)),
    views: [stillView(title)],
    table: {
      columns: ['Status', 'Age', 'Reference', 'Result', 'Reason'],
      rows: nodes.map((node) => {
        const edge = leading.get(node.id);
        const state = stateOf(node);
        return {
          object: node.id,
          cells: [
            node.observed ? (node.status ?? '') : 'not seen',
            node.observed ? age(node.creationTimestamp, options.now) : '',
            edge ? edge.class : '',
            state.words,
            node.gc?.because ?? edge?.because ?? '',
          ],
        };
      }),
    },
  };
}

function objectOf(node: ReportNode, { now }: RenderOptions): PageObject {
  const { apiVersion, kind, namespace, name, uid, id, gc, finalizers } = node;
  return {
    ...{ apiVersion, kind, namespace, name, uid, id },
    state: stateOf(node),
    facts: [
      ...factsOf(
        ['Reason', gc?.because],
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

function stateOf({ observed, gc }: ReportNode): PageState {
  if (!observed || !gc) return { mark: 'unseen', words: 'was not seen' };
  return actionStates[gc.action];
}

import { firstOf } from '../../kube/counts-by-kind.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { timestampOf } from '../../kube/time.ts';
import { type CoverageProblem, problemText } from '../../snapshot/coverage.ts';
import type { RenderOptions } from '../style.ts';
import type { PageData, PageFact, PageFrame, PageState, PageView } from './page-data.ts';
import { titleOf } from './page-table.ts';

/** What every page begins with. */
export function pageHead(
  report: {
    readonly kind: string;
    readonly coverage: { readonly problems: readonly CoverageProblem[] };
  },
  { now }: Pick<RenderOptions, 'now'>,
): Pick<PageData, 'apiVersion' | 'kind' | 'of' | 'at' | 'gaps'> {
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Page',
    of: report.kind,
    at: timestampOf(now),
    gaps: report.coverage.problems.map(problemText),
  };
}

/** Facts that are known, without those that are not. */
export function factsOf(
  ...facts: readonly (readonly [label: string, text: string | undefined])[]
): PageFact[] {
  return facts.flatMap(([label, text]) => (text ? [[label, text] as const] : []));
}

/** What stands in every panel at the end. */
export function identityFacts({ apiVersion, uid }: ObjectReference): PageFact[] {
  return factsOf(['API version', apiVersion], ['UID', uid]);
}

/** `Deployment/web, Pod/web-1 and 3 more` */
export function titleOfSome(objects: readonly ObjectReference[], most = 3): string {
  return firstOf(objects.map(titleOf), most) || 'nothing';
}

/** How an object stands before anything happens, and once it is deleted. */
export const present: PageState = { mark: 'plain', words: 'is there' };
export const gone: PageState = { mark: 'gone', words: 'is gone' };

/** The first frames of what would happen: first the result. */
export function firstFrames(before: PageFrame['changes']): PageFrame[] {
  return [
    { title: 'Result', text: 'What becomes of each object in the end.', changes: {} },
    { title: 'Before', text: 'Nothing was sent yet.', changes: before },
  ];
}

/** A view of one moment. */
export function stillView(title: string, changes: PageFrame['changes'] = {}): PageView {
  return { title, frames: [{ title: '', text: '', changes }] };
}

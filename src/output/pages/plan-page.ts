import { goesThen } from '../../deletion/plan/going.ts';
import type { Fate, Plan, PlannedObject, Wait } from '../../deletion/plan/plan.ts';
import { countsByKind } from '../../kube/counts-by-kind.ts';
import { type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import type { RenderOptions } from '../style.ts';
import { summaryLines } from '../tables/plan/plan-summary.ts';
import { fateWords, planColumns, refusalLines, remarkLines } from '../tables/plan/plan-words.ts';
import { nameOf } from '../tables/words.ts';
import type { Mark } from './marks.ts';
import { ownersAmong, withLines } from './owners-among.ts';
import type { PageData, PageFrame, PageReference, PageState } from './page-data.ts';
import {
  columnFacts,
  factsOf,
  firstFrames,
  gone,
  PageObjects,
  pageHead,
  pageTable,
  present,
  titleOfSome,
} from './page-parts.ts';

/** `delete --preview`: what goes wave by wave, what is held, and what stays. */
export function planPage(plan: Plan, options: RenderOptions): PageData {
  const { objects, requests, remarks, leftAlone = [] } = plan;
  const plain = { ...options, colour: false };
  const title = `Deletion of ${titleOfSome(requests)}`;
  const columns = planColumns(Number.POSITIVE_INFINITY, plain);
  const shown = new PageObjects();
  for (const object of objects) {
    const { waitsFor = [], servesNode } = object;
    shown.add(object, stateOf(object), [
      ...columnFacts([object], columns),
      ...factsOf(
        ['Waits for', waitsFor.map(waitWords).join('; ')],
        ['Serves the node', servesNode],
      ),
    ]);
  }
  for (const { object, because } of leftAlone) {
    shown.add(object, { mark: 'stays', words: 'is left alone' }, factsOf(['Reason', because]));
  }
  return {
    ...pageHead(plan, options),
    title,
    summary: [
      ...summaryLines(plan, plain),
      ...refusalLines(plan, plain).flatMap((text) => text.split('\n')),
      ...remarkLines(remarks, plain),
    ],
    objects: shown.all(),
    references: withLines(ownersAmong(objects, options.records), containedIn(objects)),
    views: [{ title, frames: framesOf(plan) }],
    table: pageTable(
      objects.map((object) => [object]),
      columns,
      ([object]) => (object ? objectKey(object) : ''),
    ),
  };
}

export const fateMarks: Readonly<Record<Fate | 'untouched', Mark>> = {
  deleted: 'goes',
  recreated: 'again',
  terminating: 'stuck',
  orphaned: 'left',
  kept: 'stays',
  unknown: 'unknown',
  untouched: 'plain',
};

function wordsOf({ fate, then, likely }: PlannedObject): string {
  return fateWords(fate, then, likely);
}

/** What stays until something is let go is held. */
function stateOf(object: PlannedObject): PageState {
  const isHeld = object.fate === 'kept' && goesThen(object);
  return { mark: isHeld ? 'stuck' : fateMarks[object.fate], words: wordsOf(object) };
}

function waitWords(wait: Wait): string {
  if ('kubelet' in wait) {
    return `the kubelet of Node ${wait.kubelet}, which has to confirm that ${nameOf(wait.object)} has stopped`;
  }
  const { finalizer, object, removedBy } = wait;
  const by = removedBy === undefined ? '' : `, which ${removedBy} removes`;
  return `${finalizer} on ${nameOf(object)}${by}`;
}

/** What goes along with a namespace or a definition; with an owner it is a reference. */
function containedIn(objects: readonly PlannedObject[]): PageReference[] {
  const ids = new Map(objects.map((object) => [object.uid, objectKey(object)]));
  return objects.flatMap((object) => {
    const owner = ids.get(object.goesWith ?? '');
    if (owner === undefined) return [];
    const because = 'it goes along with it';
    return [{ owner, dependent: objectKey(object), class: 'contains' as const, because }];
  });
}

function awaitsKubelet({ waitsFor = [] }: PlannedObject): boolean {
  return waitsFor.some((wait) => 'kubelet' in wait);
}

/** First the result; then the waves in order; then what goes once it is let go. */
function framesOf({ objects }: Plan): PageFrame[] {
  const waves = [...Map.groupBy(objects, ({ wave }) => wave)].sort(([a], [b]) => a - b);
  const late = objects.filter(goesThen);
  const waits = Map.groupBy(late, ({ waitsFor = [] }) => waitsFor.map(waitWords).join('; '));
  const frames = firstFrames(changed(objects, () => present));
  let ended: PlannedObject[] = [];
  for (const [wave, now] of waves) {
    const changes = { ...changed(ended, () => gone), ...changed(now, stateOf) };
    frames.push({ title: `Wave ${wave}`, text: frameText(now), changes });
    ended = now.filter(({ fate }) => fate === 'deleted');
  }
  for (const [wait, now] of waits) {
    const then = (object: PlannedObject): PageState => {
      const fate = object.then ?? object.fate;
      return { mark: fateMarks[fate], words: fateWords(fate, undefined, object.likely) };
    };
    const changes = { ...changed(ended, () => gone), ...changed(now, then) };
    const over = now.some(awaitsKubelet) ? 'Once over' : 'Once removed';
    const title = wait === '' ? 'Then' : `${over}: ${wait}`;
    frames.push({ title, text: `Then ${countsByKind(now)} will be deleted.`, changes });
    ended = now.filter((object) => object.then === 'deleted');
  }
  frames.push({
    title: 'After',
    text:
      waits.size === 0
        ? 'Nothing more happens.'
        : late.some(awaitsKubelet)
          ? 'Nothing is held any more.'
          : 'All finalizers are removed.',
    changes: changed(ended, () => gone),
  });
  return frames;
}

function changed<T extends ObjectReference>(
  objects: readonly T[],
  to: (object: T) => PageState,
): Record<string, PageState> {
  return Object.fromEntries(objects.map((object) => [objectKey(object), to(object)]));
}

/** `will be deleted: 3 Pods, 1 ReplicaSet; stays: 1 Secret` */
function frameText(objects: readonly PlannedObject[]): string {
  const byWords = Map.groupBy(objects, wordsOf);
  return [...byWords].map(([words, some]) => `${words}: ${countsByKind(some)}`).join('; ');
}

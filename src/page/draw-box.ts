import { type Mark, markLooks, marksInOrder } from '../output/pages/marks.ts';
import { type PageState, titleOf } from '../output/pages/page-data.ts';
import type { PictureItem } from '../output/pictures/fold-forest.ts';
import { boxWords, itemTexts, type WidthOf, widestOf } from '../output/pictures/item-texts.ts';
import { boxHeight, boxWidth } from '../output/pictures/place-items.ts';
import { svg } from './make-element.ts';

const pen = document.createElement('canvas').getContext('2d');

/** In the font of this page. */
export const drawnWidth: WidthOf = (text, size) => {
  if (!pen) return widestOf(text, size);
  pen.font = `${size}px system-ui, sans-serif`;
  pen.textRendering = 'geometricPrecision';
  return pen.measureText(text).width;
};

/** What an item looks like: the elements inside of its group. */
export function boxParts(item: PictureItem, stateOf: (id: string) => PageState): SVGElement[] {
  const texts = itemTexts(item, stateOf);
  const { mark } = texts;
  const { name, note } = boxWords(texts, drawnWidth);
  const toggles = item.hidden.length > 0 || item.children.length > 0;
  return [
    svg('title', {}, `${texts.name}\n${texts.note}`),
    ...(item.group
      ? [svg('rect', { class: 'behind', x: 4, y: 4, width: boxWidth, height: boxHeight, rx: 6 })]
      : []),
    svg('rect', { class: 'box', width: boxWidth, height: boxHeight, rx: 6 }),
    ...shareBars(item, stateOf),
    svg('path', { class: 'symbol', d: markLooks[mark].symbol, transform: 'translate(8 12)' }),
    svg('text', { class: 'name', x: 32, y: 17 }, name),
    svg('text', { class: 'note', x: 32, y: 32 }, note),
    ...(toggles ? [toggleOf(item)] : []),
  ];
}

function toggleOf({ hidden, group }: PictureItem): SVGElement {
  const isClosed = hidden.length > 0;
  const sign = isClosed ? 'M-4 0h8M0-4v8' : 'M-4 0h8';
  const count =
    isClosed && !group ? [svg('text', { class: 'count', x: 12, y: 4 }, `${hidden.length}`)] : [];
  return svg(
    'g',
    { class: 'toggle', transform: `translate(${boxWidth} ${boxHeight / 2})` },
    svg('circle', { r: 8 }),
    svg('path', { d: sign }),
    ...count,
  );
}

/** Along the lower edge: which share of what is not shown has which mark. */
function shareBars({ hidden }: PictureItem, stateOf: (id: string) => PageState): SVGElement[] {
  if (hidden.length === 0) return [];
  const counts = countsByMark(hidden.map(({ object }) => stateOf(object.id).mark));
  const width = boxWidth - 12;
  let from = 6;
  return counts.map(([mark, count]) => {
    const share = (count / hidden.length) * width;
    const bar = svg('rect', {
      class: `share mark-${mark}`,
      x: from,
      y: boxHeight - 4,
      width: share,
      height: 3,
    });
    from += share;
    return bar;
  });
}

function countsByMark(marks: readonly Mark[]): [Mark, number][] {
  const groups = Map.groupBy(marks, (mark) => mark);
  return marksInOrder.flatMap((mark) => {
    const count = groups.get(mark)?.length ?? 0;
    return count > 0 ? [[mark, count] as [Mark, number]] : [];
  });
}

/** For those who hear it. */
export function spokenLabel(item: PictureItem, stateOf: (id: string) => PageState): string {
  const { branch } = item;
  const { name, note } = itemTexts(item, stateOf);
  if (!branch) return `${name}, ${note}, folded`;
  const { namespace } = branch.object;
  const where = namespace === '' ? '' : ` in ${namespace}`;
  const folded = item.hidden.length > 0 ? `, ${item.hidden.length} folded below it` : '';
  return `${titleOf(branch.object)}${where}, ${stateOf(branch.object.id).words}${folded}`;
}

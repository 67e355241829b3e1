import { type Mark, markLooks, marksInOrder } from '../pages/marks.ts';
import {
  type PageData,
  type PageState,
  type PageView,
  statesAt,
  titleOf,
} from '../pages/page-data.ts';
import { escapeMarkup as escaped } from '../printable.ts';
import { foldedForest, type PictureItem, unfolded, wideOpen } from './fold-forest.ts';
import { forestOf } from './forest.ts';
import { boxWords, itemTexts, widestOf } from './item-texts.ts';
import { boxHeight, boxWidth, type Placed, type PlacedLine, placed } from './place-items.ts';

const margin = 24;
const headHeight = 40;
const legendHeight = 28;
/** Up to so many objects, each is a separate box; of more, equal objects are one box. */
const mostBoxes = 1000;

/** A page's picture as it stands at first: for documents, wikis and issues. Light or dark as its reader prefers. */
export function pictureSvg(data: PageData): string {
  const forest = forestOf(data);
  const folding = data.objects.length > mostBoxes ? unfolded : wideOpen(forest);
  const items = foldedForest(forest, folding);
  const drawn = placed(items, forest);
  const columns = data.views.map((view, index) => {
    const states = statesAt(data, view, 0);
    const left = margin + index * (drawn.width + 2 * margin);
    return { text: viewText(view, drawn, states, data.views.length > 1), left };
  });
  const used = new Set(
    data.views.flatMap((view) => [...statesAt(data, view, 0).values()].map(({ mark }) => mark)),
  );
  const legend = legendOf(data, used);
  const width = Math.max(
    columns.length * (drawn.width + 2 * margin),
    Math.ceil(widestOf(data.title, 18)) + 2 * margin,
    legend.width + margin,
  );
  const height = headHeight + drawn.height + legendHeight + 2 * margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(data.title)}">`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    `<text class="title" x="${margin}" y="26">${escaped(data.title)}</text>`,
    ...columns.map(
      ({ text, left }) =>
        `<g transform="translate(${left} ${headHeight + margin / 2})">${text}</g>`,
    ),
    `<g transform="translate(0 ${height - margin / 2 - 12})">${legend.text}</g>`,
    '</svg>\n',
  ].join('\n');
}

function viewText(
  { title }: PageView,
  { items, lines }: Placed,
  states: ReadonlyMap<string, PageState>,
  isNamed: boolean,
): string {
  const stateOf = (id: string): PageState => states.get(id) ?? { mark: 'unknown', words: '' };
  return [
    isNamed ? `<text class="view" y="-4">${escaped(title)}</text>` : '',
    ...lines.map(lineText),
    ...items.map(({ item, x, y }) => boxText(item, x, y, stateOf)),
  ].join('\n');
}

function lineText({ path, x, y, reference, isAcross }: PlacedLine): string {
  const { class: found, blocks } = reference;
  const look = `line ${found}${blocks ? ' blocks' : ''}${isAcross ? ' across' : ''}`;
  const isUsual = ['solid', 'contains', 'leads'].includes(found);
  const words = isUsual ? '' : `<text class="words" x="${x}" y="${y - 3}">${found}</text>`;
  return `<path class="${look}" d="${path}"/>${words}`;
}

function boxText(
  item: PictureItem,
  x: number,
  y: number,
  stateOf: (id: string) => PageState,
): string {
  const texts = itemTexts(item, stateOf);
  const { mark } = texts;
  const { name, note } = boxWords(texts, widestOf);
  const title = item.branch ? titleOf(item.branch.object) : texts.name;
  return [
    `<g class="mark-${mark}" transform="translate(${x} ${y})"><title>${escaped(`${title}: ${texts.note}`)}</title>`,
    `<rect class="box" width="${boxWidth}" height="${boxHeight}" rx="6"/>`,
    `<path class="symbol" d="${markLooks[mark].symbol}" transform="translate(8 12)"/>`,
    `<text x="32" y="17">${escaped(name)}</text>`,
    `<text class="note" x="32" y="32">${escaped(note)}</text></g>`,
  ].join('');
}

function legendOf({ legend = {} }: PageData, used: ReadonlySet<Mark>) {
  let x = margin;
  const entries = marksInOrder
    .filter((mark) => used.has(mark))
    .map((mark) => {
      const words = legend[mark] ?? markLooks[mark].words;
      const at = x;
      x += 36 + Math.ceil(widestOf(words, 11));
      return `<g class="mark-${mark}" transform="translate(${at} 0)"><path class="symbol" d="${markLooks[mark].symbol}"/><text class="note" x="20" y="12">${words}</text></g>`;
    });
  return { text: entries.join(''), width: x };
}

/** Lines that are not as usual have the colours of what they mean. */
const lineMarks = {
  dangling: 'goes',
  waiting: 'left',
  unresolvable: 'stuck',
  unknown: 'unknown',
} as const;

function colours(look: 'light' | 'dark'): string {
  const strokeOf = (mark: Mark) => `{stroke:${markLooks[mark][look]}}`;
  return [
    ...Object.entries(lineMarks).map(([found, mark]) => `.${found}${strokeOf(mark)}`),
    `.words{fill:${markLooks.goes[look]}}`,
    ...marksInOrder.map((mark) => `.mark-${mark} .box,.mark-${mark} .symbol${strokeOf(mark)}`),
  ].join('');
}

const style = [
  'text{font:13px system-ui,sans-serif;fill:#1c2430}.title{font-size:17px;font-weight:600}.view{font-weight:600}',
  '.note{font-size:11px;fill:#556070}.words{font-size:11px;text-anchor:middle}',
  '.ground{fill:#f6f7f9}.box{fill:#fff;stroke-width:1.5}.symbol{fill:none;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}',
  '.line{fill:none;stroke:#556070;stroke-width:1.3}.blocks{stroke-width:2.6}.across{stroke-dasharray:8 3}.contains{stroke:#b5bdc8}.applied{stroke-dasharray:1 3}',
  '.dangling{stroke-dasharray:5 4}.waiting{stroke-dasharray:10 4 2 4}.unresolvable{stroke-dasharray:2 4}.unknown{stroke-dasharray:2 6}',
  '.mark-gone .box,.mark-unseen .box{stroke-dasharray:5 4}',
  colours('light'),
  '@media screen and (prefers-color-scheme:dark){.ground{fill:#12161c}.box{fill:#1a2029}text{fill:#e4e9f0}.note{fill:#a2aebd}',
  '.line{stroke:#a2aebd}',
  `${colours('dark')}}`,
  '.words.applied{fill:#556070}',
].join('');

import { type Mark, markLooks } from '../output/pages/marks.ts';
import { svg } from './make-element.ts';

/** The symbol of a mark, in a text. */
export function signOf(mark: Mark): SVGSVGElement {
  return svg(
    'svg',
    { viewBox: '0 0 16 16', class: `sign mark-${mark}`, 'aria-hidden': 'true' },
    svg('path', { class: 'symbol', d: markLooks[mark].symbol }),
  );
}

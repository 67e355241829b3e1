import { type Mark, markLooks } from '../output/pages/marks.ts';
import { printable } from '../output/printable.ts';
import { button, html, svg } from './make-element.ts';

/** Behind marks within a word, and anywhere in a word once it is long. */
const breaks = /(?<=[/.:=,@])(?=[^ ])|(?<=[^ /.:=,@-]{40})(?=[^ ])/u;

/** Where commands of ours stand. Elsewhere a text may be a message of somebody else. */
const commandLabels: ReadonlySet<string> = new Set(['Command', 'Fix', 'Next', 'What to do']);

/** A text, which may end with a command: that stands apart, and is copied as it is. */
export function textParts(label: string, text: string): Node[] {
  const [, words = text, command] = /^((?:.*?: )?)(kubectl .*)$/s.exec(text) ?? [];
  if (command === undefined || !commandLabels.has(label)) return breakable(text);
  const parts = command.split(' ').map((word) => html('span', {}, ...breakable(word)));
  const spaced = parts.flatMap((part) => [part, ' ']).slice(0, -1);
  return [...breakable(words), html('code', {}, ...spaced), ...copyOf(command)];
}

/** A text whose long words may be broken, between their parts rather than within them. */
export function breakable(text: string): Node[] {
  return printable(text)
    .split(breaks)
    .flatMap((part, at) => [...(at === 0 ? [] : [html('wbr')]), document.createTextNode(part)]);
}

function copyOf(text: string): HTMLElement[] {
  // A page that another host serves without TLS has no clipboard.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (!clipboard) return [];
  const copy = button('Copy', { class: 'copy' }, () => {
    clipboard.writeText(text).then(
      () => copy.replaceChildren('Copied'),
      () => copy.replaceChildren('Not copied'),
    );
  });
  return [copy];
}

/** The symbol of a mark, in a text. */
export function signOf(mark: Mark): SVGSVGElement {
  return svg(
    'svg',
    { viewBox: '0 0 16 16', class: `sign mark-${mark}`, 'aria-hidden': 'true' },
    svg('path', { class: 'symbol', d: markLooks[mark].symbol }),
  );
}

import { startsWithCommand } from '../command-line/shell-command.ts';
import type { RenderOptions } from './style.ts';

/** The signs that this program draws with, as ASCII has them. */
const inAscii: Readonly<Record<string, string>> = {
  '│': '|',
  '├': '|',
  '└': '`',
  '─': '-',
  '╌': '-',
  '→': '->',
  '…': '...',
  '•': '*',
  '·': '-',
  '✓': '+',
  '✗': 'x',
  '≤': '<=',
  µ: 'u',
};
const signs = new RegExp(`[${Object.keys(inAscii).join('')}]`, 'g');

/** The text for a terminal that may know ASCII alone. */
export function spelled(text: string, { ascii }: Pick<RenderOptions, 'ascii'>): string {
  return ascii ? text.replace(signs, (sign) => inAscii[sign] ?? sign) : text;
}

/** Signs of which each takes one column on every terminal. */
const narrowCharacters =
  /^[\x20-\x7e\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u22ff\u2500-\u257f✓✗]*$/;

/** Is the text as wide as it is long, whatever the terminal? */
export function isNarrow(text: string): boolean {
  return narrowCharacters.test(text);
}

/** Columns on a terminal; over-estimates rare characters, which only widens a column. */
export function textWidth(text: string): number {
  if (isNarrow(text)) return text.length;
  let width = 0;
  for (const unit of text.match(textUnits) ?? []) width += unitWidth(unit);
  return width;
}

/** What sets a colour, and takes no room. */
const colour = `${String.fromCharCode(27)}\\[[0-9;]*m`;
const colourCodes = new RegExp(colour, 'g');

export function withoutColours(text: string): string {
  return text.includes('\u001b') ? text.replace(colourCodes, '') : text;
}

const textUnits = new RegExp(`${colour}|[\\s\\S]`, 'gu');

/** Dashes, arrows and the lines of a tree are narrow, although they are far from ASCII. */
function unitWidth(unit: string): number {
  if (unit.length > 2 && unit.startsWith('\u001b')) return 0;
  const code = unit.codePointAt(0) ?? 0;
  const narrow =
    code < 0x1100 || (code >= 0x2000 && code < 0x2300) || (code >= 0x2500 && code < 0x2580);
  return narrow || unit === '✓' || unit === '✗' ? 1 : 2;
}

/**
 * The lines of a text, none wider than `width`: broken at blanks, where there are none in reach between
 * the parts of a name, else anywhere. All but the first begin with `hang`.
 */
export function wrapped(text: string, width: number, hang = ''): string[] {
  if (textWidth(text) <= width) return [text];
  const all = text.match(textUnits) ?? [];
  const lines: string[] = [];
  let start = 0;
  let before = '';
  while (start < all.length) {
    const room = Math.max(1, width - textWidth(before));
    const { end, next } = lineFrom(all, start, room, width - textWidth(hang));
    lines.push(before + all.slice(start, end).join(''));
    start = next;
    before = hang;
  }
  return lines;
}

/** A line that is too long ends early, at a word where there is one in reach; its colours end with it. */
export function cutLine(
  line: string,
  { width, ascii }: Pick<RenderOptions, 'width' | 'ascii'>,
): string {
  const isWide = width !== undefined && textWidth(line) > width;
  return isWide ? cutTo(line, width, ascii ? '...' : '…') : line;
}

function cutTo(line: string, width: number, more: string): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const text = line.slice(indent.length);
  const [kept = ''] = wrapped(text, width - textWidth(more) - indent.length);
  const ends = text.slice(kept.length).match(colourCodes) ?? [];
  return `${indent}${kept}${more}${ends.join('')}`;
}

/** As many words as there is room for, none of them a count alone; the first stays whole, however long it is. */
export function cutAtWord(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const wordEnd = (before: number) =>
    Math.max(text.lastIndexOf(' ', before - 1), text.lastIndexOf(',', before - 1));
  let end = wordEnd(width);
  while (end > 0 && textWidth(text.slice(0, end)) >= width) end = wordEnd(end);
  if (end <= 0) end = text.search(/[ ,]/);
  return end > 0 ? `${text.slice(0, end).replace(/[,;:]?(?: \d+)?$/, '')}…` : text;
}

/** Where the line that begins at `start` ends, and where the next begins. */
function lineFrom(
  all: readonly string[],
  start: number,
  room: number,
  roomBelow: number,
): { readonly end: number; readonly next: number } {
  let width = 0;
  let blank = -1;
  // Where the parts of a name meet: the last place of each rank.
  const joints = [-1, -1, -1, -1];
  // One of these that leaves most of the line empty.
  let early = -1;
  let at = start;
  for (; at < all.length; at++) {
    const unit = all[at] ?? '';
    const next = width + unitWidth(unit);
    // A blank may be beyond the width: it is not printed.
    if (unit === ' ' && width > 0 && all[at - 1] !== ' ') blank = at;
    if (next > room && unit !== ' ') break;
    width = next;
    const rank = breakRank(unit, all[at + 1] ?? '', width > room / 2);
    if (rank === undefined || width > room) continue;
    if (width >= room / 3) joints[rank] = at + 1;
    else if (rank < 3) early = at + 1;
  }
  if (at === all.length) return { end: at, next: at };
  const joint = joints.find((place) => place > start) ?? -1;
  let firstWord = start;
  while (all[firstWord] === ' ') firstWord++;
  if (blank > firstWord && (joint < 0 || blank - start > room / 3)) {
    let next = blank;
    while (all[next] === ' ') next++;
    return { end: blank, next };
  }
  const isWhole = joint < 0 && early > start && partWidth(all, early) <= roomBelow;
  const end = joint > start ? joint : isWhole ? early : Math.max(at, start + 1);
  return { end, next: end };
}

/** Of the part of a name that begins there, to where it may be broken next. */
function partWidth(all: readonly string[], start: number): number {
  let width = 0;
  for (let at = start; at < all.length; at++) {
    const unit = all[at] ?? '';
    if (unit === ' ') break;
    width += unitWidth(unit);
    const rank = breakRank(unit, all[at + 1] ?? '', false);
    if (rank !== undefined && rank < 3) break;
  }
  return width;
}

/** How well a name can be broken behind this sign: 0 is best, 3 the middle of `FooBar`. */
function breakRank(unit: string, next: string, isFull: boolean): number | undefined {
  if (unit === '/') return isFull ? 0 : 1;
  if ('-,:;=_@'.includes(unit)) return 1;
  if (unit === '.') return 2;
  return /[a-z]/.test(unit) && /[A-Z]/.test(next) ? 3 : undefined;
}

/** What an entry of a tree or of a list begins with: its branches and blanks. */
const branches = /^[ │├└─╌|`•*-]*/;

/** Lines that are wider than the terminal go on below themselves, further in. */
export function flowed(text: string, { width }: Pick<RenderOptions, 'width'>): string {
  if (width === undefined) return text;
  return text
    .split('\n')
    .flatMap((line) => {
      const hang = hangOf(line);
      if (isCommand(line)) return [line];
      if (textWidth(hang) <= width / 2 || textWidth(line) <= width) {
        return wrapped(line, width, hang);
      }
      // Begins so far in that too little room is left: below, it begins at the left.
      return wrapped(`  ${line.trimStart()}`, width, '  ');
    })
    .join('\n');
}

/** It is pasted into a shell, so it is neither broken nor cut; a label may stand before it. */
export function isCommand(line: string): boolean {
  if (!line.includes('kubectl ')) return false;
  const text = withoutColours(line).replace(branches, '');
  return startsWithCommand(text.replace(/^(?:\$ |[^:]*: )/, ''));
}

/** What further lines of one that is wrapped begin with: the branches go on. */
export function hangOf(line: string): string {
  const [start = ''] = branches.exec(line.replace(colourCodes, '')) ?? [];
  return `${start.replaceAll('├', '│').replaceAll(/[└─╌•*`-]/g, ' ')}  `;
}

/** Tables with an empty line between them; those without rows have no text. */
export function stacked(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

import { type PrintedCommand, startsWithCommand } from '../../command-line/shell-command.ts';
import { GcError } from '../../errors.ts';
import { flowed, spelled } from '../../output/fit-text.ts';
import { type GapReader, gapLines, gapWarnings } from '../../output/gap-lines.ts';
import { type PrintedText, printable, printedText } from '../../output/printable.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';

/** What commands print goes through here; questions (confirm.ts) and progress (progress.ts) draw on the terminal by themselves. */

/** Writes a document to stdout; resolves when the reader took it, or went away (`| head`). */
export function writeOut(text: PrintedText): Promise<void> {
  return write(process.stdout, text);
}

/** Characters of a line on stderr: what a line quotes may be of any length. */
const longestLine = 2000;

/** Where lines for people go while a picture is drawn; undefined: to stderr. */
let divertedTo: ((line: string) => void) | undefined;

/** From now on, lines for people go there, and not to stderr; undefined ends that. */
export function divertErr(to: ((line: string) => void) | undefined): void {
  divertedTo = to;
}

/** One line for people: a remark, a warning, an error; what it quotes is made printable, and is cut. */
export function writeErr(line: string): void {
  if (divertedTo) divertedTo(line);
  else tellErr(line);
}

/** The same on stderr itself. */
export function tellErr(line: string): void {
  if (startsWithCommand(line.trimStart())) {
    writeWhole(line);
    return;
  }
  const more = line.length - longestLine;
  const shown = more > 0 ? `${line.slice(0, longestLine)}… (${more} more characters)` : line;
  const look = { width: widthOf(process.stderr), ascii: wantsAscii(process.stderr) };
  writeRendered(printedText(flowed(spelled(printable(shown), look), look)));
}

/** A command to copy, and what it is for: below that where it is a long sentence. */
export function writeCommand(what: string, command: PrintedCommand): void {
  const width = widthOf(process.stderr) ?? Number.POSITIVE_INFINITY;
  const isLong = what.length > width / 2 && what.length + command.length > width;
  if (isLong) tellErr(what.trimEnd());
  writeRendered(printedText(isLong ? `  ${command}` : `${printable(what)}${command}`));
}

/** A line with a path or a document to copy: neither broken nor cut. */
export function writeWhole(line: string): void {
  writeRendered(printedText(line.split('\n').map(printable).join('\n')));
}

/** What `output` made for a terminal, with its colours and line breaks. */
export function writeRendered(text: PrintedText): void {
  process.stderr.write(`${text}\n`);
}

let gapReader: GapReader = {};

/** From now on, lines on what could not be read are for this reader. */
export function writeGapsTo(reader: GapReader): void {
  gapReader = reader;
}

/** What could not be read, for the reader of this command. */
export function gapsInLines(problems: readonly CoverageProblem[]): string[] {
  return gapLines(problems, gapReader);
}

/** What could not be read, on stderr. */
export function warnOfGaps(problems: readonly CoverageProblem[]): void {
  for (const line of gapsAsWarnings(problems)) writeErr(line);
}

/** The same as lines; `isBeside`: the few that have room beside a preview. */
export function gapsAsWarnings(problems: readonly CoverageProblem[], isBeside = false): string[] {
  return problems.length === 0 ? [] : gapWarnings(problems, gapReader, isBeside);
}

/**
 * A reader that leaves early is not an error: what it did not want need not be written. `writeOut`
 * reports any other failure of stdout; a failure of stderr cannot be reported.
 */
export function quietBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    // oclif's own listener throws, where it cannot be caught.
    stream.removeAllListeners('error').on('error', () => undefined);
  }
}

function write(stream: NodeJS.WriteStream, text: PrintedText): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (cause) => {
      if (!cause) return resolve();
      const { code } = cause as NodeJS.ErrnoException;
      if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') hasLeft = true;
      if (hasLeft) return resolve();
      const suggestions = ['What was printed so far is not the whole answer.'];
      const message = `cannot write to stdout: ${cause.message}`;
      reject(new GcError(message, { code: 'cannot-write', suggestions, cause }));
    });
  });
}

let hasLeft = false;

/** Has the reader of stdout gone away, as `head` does? It shows when something is written. */
export function readerHasLeft(): boolean {
  return hasLeft;
}

export interface ColourFlags {
  readonly color?: string | undefined;
  readonly 'no-color'?: boolean | undefined;
}

/** How a document looks on a stream: its colours, its signs, and its size where that is limited. */
export function lookOn(stream: NodeJS.WriteStream, flags: ColourFlags) {
  return {
    colour: wantsColour(stream, flags),
    width: widthOf(stream),
    height: sizeFrom('LINES') ?? (stream.isTTY ? stream.rows || undefined : undefined),
    ascii: wantsAscii(stream),
  };
}

/** Only the plain table and the tree are fitted to the terminal: the other formats are printed in full. */
export function documentLook(format: string, flags: ColourFlags) {
  const look = lookOn(process.stdout, flags);
  return format === 'table' || format === 'tree' ? look : { ...look, width: undefined };
}

/** COLUMNS, where it is set, counts for pipes too, as `watch` sets it; else the width of the terminal. */
export function widthOf(stream: NodeJS.WriteStream): number | undefined {
  // Some terminals say that they have no columns at all.
  return sizeFrom('COLUMNS') ?? (stream.isTTY ? stream.columns || undefined : undefined);
}

/** A size of the terminal that the environment sets. */
function sizeFrom(name: 'COLUMNS' | 'LINES'): number | undefined {
  const text = process.env[name] ?? '';
  return /^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined;
}

/**
 * Is this a terminal whose locale names another encoding than UTF-8? The first of these that is set decides
 * (POSIX). A pipe gets the same bytes on every machine.
 */
export function wantsAscii({ isTTY }: Pick<NodeJS.WriteStream, 'isTTY'>): boolean {
  if (!isTTY) return false;
  const { LC_ALL, LC_CTYPE, LANG } = process.env;
  const locale = LC_ALL || LC_CTYPE || LANG || '';
  return locale !== '' && !/utf-?8/i.test(locale);
}

/** Colours follow --color, NO_COLOR, FORCE_COLOR, TERM=dumb and whether a terminal reads. */
export function wantsColour(stream: { isTTY?: boolean }, flags: ColourFlags): boolean {
  if (flags['no-color'] || flags.color === 'never') return false;
  if (flags.color === 'always') return true;
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if ((NO_COLOR ?? '') !== '') return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && TERM !== 'dumb';
}

import { printedText } from '../../output/printable.ts';
import type { Mark } from '../../output/style.ts';
import { jsonText } from '../../syntax/json-text.ts';
import type { Printer, Taken } from '../oclif/answer.ts';
import { tellErr, writeOut } from '../terminal/streams.ts';
import {
  changesBetween,
  isPicture,
  isReadAlike,
  onlyMarked,
  type WatchedReport,
  withGone,
} from './changes.ts';
import { skippedIn, type WatchedAnswer, type WatchView } from './look-again.ts';

/** Milliseconds; it is not said more often. */
const sayAgainAfter = 10_000;

/**
 * For pipes and documents: the first answer whole, then what changed, as `kubectl get -w` does. JSON has one
 * document a line.
 */
export class StreamView implements WatchView {
  readonly #print: Printer;
  #last: WatchedReport | undefined;
  #shownLines: ReadonlySet<string> = new Set();
  #hasHeaders = false;
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(print: Printer) {
    this.#print = print;
  }

  async show({ answer: { report, taken }, lines, changes, since }: WatchedAnswer): Promise<void> {
    const before = this.#last;
    this.#last = report;
    const marks = before ? changesBetween(before, report) : new Map<string, Mark>();
    if (!before || marks.size > 0 || !isReadAlike(before, report)) {
      const text = await this.#textOf(report, before, marks, taken);
      // Its answers have been through this, with their colours.
      await writeOut(printedText(text, { colour: true }));
    }
    this.#tellNew(lines);
    const skipped = skippedIn(changes, since);
    if (skipped === undefined || performance.now() - this.#saidAt < sayAgainAfter) return;
    this.#saidAt = performance.now();
    this.tell(`Note: ${skipped}`);
  }

  async fail(message: string): Promise<void> {
    this.#tellNew([`error: ${message}`]);
  }

  tell(line: string): void {
    tellErr(line);
  }

  async close(): Promise<void> {}

  async #textOf(
    report: WatchedReport,
    before: WatchedReport | undefined,
    marks: ReadonlyMap<string, Mark>,
    taken: Taken,
  ): Promise<string> {
    const { format, textOf } = this.#print;
    switch (format) {
      case 'json':
        return `${jsonText(report)}\n`;
      case 'yaml':
        return (before ? '---\n' : '') + (await textOf(report, taken));
      case 'name':
        return textOf(before ? onlyMarked(report, marks) : report, taken);
      case undefined:
        return textOf(report, taken);
    }
    const whole = before ? withGone(report, before, () => true) : report;
    if (isPicture(report)) {
      return (before ? '\n' : '') + (await textOf(whole, taken, { marks }));
    }
    const shown = before ? onlyMarked(whole, marks) : report;
    const hidden = this.#hasHeaders ? { noHeaders: true } : {};
    const text = await textOf(shown, taken, { marks, ...hidden });
    this.#hasHeaders ||= text !== '';
    return text;
  }

  /** Each line once, until it was not said for a look. */
  #tellNew(lines: readonly string[]): void {
    for (const line of lines) if (!this.#shownLines.has(line)) tellErr(line);
    this.#shownLines = new Set(lines);
  }
}

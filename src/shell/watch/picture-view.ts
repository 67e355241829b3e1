import { printable } from '../../output/printable.ts';
import type { Mark } from '../../output/style.ts';
import type { Printer } from '../oclif/answer.ts';
import { Screen } from '../terminal/screen.ts';
import { tellErr, writeOut } from '../terminal/streams.ts';
import { changesBetween, type WatchedReport, withGone } from './changes.ts';
import { changesShownFor, skippedIn, type WatchedAnswer, type WatchView } from './look-again.ts';

/** Marks stay for so many milliseconds, as pictures may follow each other faster than they can be read. */
const markedFor = 5_000;

/** For terminals: one picture, drawn again in its place, in which what has changed is marked. */
export class PictureView implements WatchView {
  readonly #print: Printer;
  readonly #screen = new Screen();
  readonly #marked = new Map<string, { readonly mark: Mark; readonly at: number }>();
  readonly #onResize = () => void this.redraw();
  readonly #isGone = (key: string) => this.#marked.get(key)?.mark === 'gone';
  #look: WatchedAnswer | undefined;
  /** With the deleted lines. */
  #shown: WatchedReport | undefined;
  #notices: { readonly line: string; readonly at: number }[] = [];
  #failure: string | undefined;
  #hasToBeDrawn = false;

  constructor(print: Printer) {
    this.#print = print;
    process.stdout.on('resize', this.#onResize);
  }

  async show(look: WatchedAnswer): Promise<void> {
    const { report } = look.answer;
    const now = performance.now();
    const before = this.#look?.answer.report;
    this.#expire(now);
    for (const [key, mark] of before ? changesBetween(before, report) : []) {
      this.#marked.set(key, { mark: together(this.#marked.get(key)?.mark, mark), at: now });
    }
    this.#look = look;
    this.#failure = undefined;
    await this.redraw();
  }

  async fail(message: string): Promise<void> {
    this.#failure = message;
    await this.redraw();
  }

  tell(line: string): void {
    if (!process.stderr.isTTY) tellErr(line);
    this.#notices = [...this.#notices.slice(-2), { line, at: performance.now() }];
    this.#hasToBeDrawn = true;
  }

  redrawDue(): number | undefined {
    if (this.#hasToBeDrawn) return 0;
    const [oldest] = [...this.#marked.values()].sort((a, b) => a.at - b.at);
    return oldest && Math.max(0, oldest.at + markedFor - performance.now());
  }

  async redraw(): Promise<void> {
    if (!this.#look) return;
    this.#hasToBeDrawn = false;
    const now = performance.now();
    this.#expire(now);
    this.#notices = this.#notices.filter(({ at }) => now - at < changesShownFor);
    const below = this.#below(this.#look);
    const lines = await this.#lines(this.#look);
    await this.#screen.draw([...this.#fitted(lines, below), ...below]);
  }

  /** Gives the terminal back, and leaves the last picture on it. */
  async close(): Promise<void> {
    process.stdout.off('resize', this.#onResize);
    this.#screen.close();
    if (!this.#look) return;
    const { answer, lines } = this.#look;
    await writeOut(await this.#print.textOf(answer.report, answer.taken));
    for (const line of lines) tellErr(line);
  }

  /** With the deleted lines, as long as their marks are shown. */
  async #lines({ answer: { report, taken } }: WatchedAnswer): Promise<string[]> {
    this.#shown = this.#shown ? withGone(report, this.#shown, this.#isGone) : report;
    const marks = new Map([...this.#marked].map(([key, { mark }]) => [key, mark]));
    const text = await this.#print.textOf(this.#shown, taken, { marks });
    return text.replace(/\n$/, '').split('\n');
  }

  /** The lines that have room above those below. */
  #fitted(lines: readonly string[], below: readonly string[]): readonly string[] {
    const room = Math.max(1, this.#screen.height - this.#screen.rowsOf(below));
    if (this.#screen.rowsOf(lines) <= room) return lines;
    let [shown, rows] = [0, 0];
    for (const line of lines) {
      rows += this.#screen.rowsOf([line]);
      if (rows > room - 1) break;
      shown++;
    }
    return [...lines.slice(0, shown), `... ${lines.length - shown} more lines below`];
  }

  #below({ answer, lines, changes, since }: WatchedAnswer): string[] {
    const failure = this.#failure === undefined ? [] : [`error: ${this.#failure}`];
    const skipped = skippedIn(changes, since);
    return [
      '',
      ...lines,
      ...this.#notices.map(({ line }) => line),
      ...failure,
      ...(skipped === undefined ? [] : [skipped]),
      `As of ${answer.taken.observedAt}. Ctrl-C ends.`,
    ].map(printable);
  }

  /** Forgets marks that were shown long enough. */
  #expire(now: number): void {
    for (const [key, { at }] of this.#marked) if (now - at >= markedFor) this.#marked.delete(key);
  }
}

/** The mark of a line that has one already. */
function together(before: Mark | undefined, after: Mark): Mark {
  if (before === 'added' && after === 'changed') return 'added';
  if (before === 'gone' && after === 'added') return 'changed';
  return after;
}

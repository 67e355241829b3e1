import { isCommand, textWidth } from '../../output/fit-text.ts';
import { type PrintedText, printedText, withControls } from '../../output/printable.ts';
import { writeOut } from './streams.ts';

/** A second screen of the terminal, the cursor hidden, and long lines cut where the terminal ends. */
const enter = withControls`\x1b[?1049h\x1b[?25l\x1b[?7l`;
const leave = withControls`\x1b[?7h\x1b[?25h\x1b[?1049l`;

/** A row of a picture. A command continues in the next row of the terminal, which copies it as one line. */
function rowOf(line: string): PrintedText {
  const text = printedText(line, { colour: true });
  return isCommand(line)
    ? withControls`\x1b[?7h${text}\x1b[?7l\x1b[K`
    : withControls`${text}\x1b[K`;
}

/** Can a picture be drawn again and again in its place? */
export function canRedraw(): boolean {
  const { isTTY, columns } = process.stdout;
  return isTTY === true && columns > 0 && process.env.TERM !== 'dumb';
}

/** Is a picture on the terminal, which has to be given back? */
let isDrawn = false;

export function isScreenDrawn(): boolean {
  return isDrawn;
}

/** The whole terminal, until it is given back: what stood on it before stands there again then. */
export class Screen {
  #isOpen = false;
  /** The second Ctrl-C ends the process immediately. */
  readonly #giveBack = () => this.close();

  /** How many lines there is room for. */
  get height(): number {
    return Math.max(process.stdout.rows || 24, 4);
  }

  /** How many rows these lines take. */
  rowsOf(lines: readonly string[]): number {
    const columns = process.stdout.columns || 80;
    const rowsOfLine = (line: string) =>
      isCommand(line) ? Math.max(1, Math.ceil(textWidth(line) / columns)) : 1;
    return lines.reduce((rows, line) => rows + rowsOfLine(line), 0);
  }

  /** Draws over what was drawn before, without a moment in which nothing is there. */
  async draw(lines: readonly string[]): Promise<void> {
    const start = this.#isOpen ? withControls`` : enter;
    if (!this.#isOpen) process.on('exit', this.#giveBack);
    this.#isOpen = true;
    isDrawn = true;
    const rows = lines.map(rowOf);
    const picture = rows
      .slice(1)
      .reduce((above, row) => withControls`${above}\n${row}`, rows[0] ?? withControls``);
    await writeOut(withControls`${start}\x1b[H${picture}\x1b[J`);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    isDrawn = false;
    process.off('exit', this.#giveBack);
    void writeOut(leave);
  }
}

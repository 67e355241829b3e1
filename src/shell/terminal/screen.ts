import { writeOut } from './streams.ts';

/** A second screen of the terminal, the cursor hidden, and long lines cut where the terminal ends. */
const enter = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const leave = '\x1b[?7h\x1b[?25h\x1b[?1049l';

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
  /** The second Ctrl-C ends the process at once. */
  readonly #giveBack = () => this.close();

  /** How many lines there is room for. */
  get height(): number {
    return Math.max(process.stdout.rows || 24, 4);
  }

  /** Draws over what was drawn before, without a moment in which nothing is there. */
  async draw(lines: readonly string[]): Promise<void> {
    const start = this.#isOpen ? '' : enter;
    if (!this.#isOpen) process.on('exit', this.#giveBack);
    this.#isOpen = true;
    isDrawn = true;
    await writeOut(`${start}\x1b[H${lines.map((line) => `${line}\x1b[K`).join('\n')}\x1b[J`);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    isDrawn = false;
    process.off('exit', this.#giveBack);
    void writeOut(leave);
  }
}

import type { Answer } from '../oclif/answer.ts';
import type { WatchedReport } from './changes.ts';

/** One look at the cluster. */
export interface Look {
  readonly answer: Answer<WatchedReport>;
  /** What there is to say of it: gaps, remarks, sums. */
  readonly lines: readonly string[];
  /** How many changes were seen since the look before, and how many milliseconds ago that was. */
  readonly changes: number;
  readonly since: number;
}

/** Where looks are shown. */
export interface View {
  show(look: Look): Promise<void>;
  /** A look that failed; what was seen before is still the latest. */
  fail(message: string): Promise<void>;
  /** A watch that broke, or goes on. */
  tell(line: string): void;
  /** Milliseconds until something has to be drawn again without a look; undefined: not by itself. */
  redrawDue?(): number | undefined;
  redraw?(): Promise<void>;
  /** Ends it; the last picture stays. */
  close(): Promise<void>;
}

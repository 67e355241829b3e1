import type { PrintedCommand } from '../../command-line/shell-command.ts';
import type { ExitCode } from '../../errors.ts';
import type { PrintedText } from '../../output/printable.ts';
import type { RenderOptions } from '../../output/style.ts';
import type { Format, Report } from '../../questions/render.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** What one cluster, a fleet, or files answer. */
export interface CommandAnswer<R extends Report> {
  readonly report: R;
  readonly taken: Taken;
  readonly exitCode?: ExitCode;
  /** What stderr says of it. */
  readonly remarks: readonly string[];
  /** The command to go on with, below a table. */
  readonly next?: readonly [what: string, command: PrintedCommand] | undefined;
}

/** When something was read, and of objects what labels they have. */
export type Taken = Pick<Snapshot, 'observedAt'> & Partial<Pick<Snapshot, 'records'>>;

export interface Printer {
  (report: Report, taken: Taken): Promise<void>;
  /** What it prints, as a whole; `more` says how else it is to look. */
  textOf(report: Report, taken: Taken, more?: Partial<RenderOptions>): Promise<PrintedText>;
  /** Undefined where a template is filled. */
  readonly format: Format | undefined;
}

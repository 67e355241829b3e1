import { type ExitCode, exitCodes } from '../../errors.ts';
import type { Ending } from '../../plan/progress-event.ts';
import { type Failure, isNotFound, messageOf } from './failure.ts';

/** What became of a command line: what failed, where it was met, and what is not gone. */
export class Outcome {
  readonly #ignoreNotFound: boolean;
  /** Failures of single objects, by the place of the object in kubectl's order. */
  readonly #ofObjects = new Map<number, Failure>();
  readonly #ofSources: Failure[] = [];
  /** Requests that the server accepted. */
  accepted = 0;
  /** Objects that were planned to go and are still there, or were not asked to. */
  left = 0;
  ended: Ending | undefined;
  /** For people: what is left and why, printed below the failures. */
  readonly details: string[] = [];
  /** kubectl's words, when the time was up. */
  timedOut: string | undefined;

  constructor(ignoreNotFound: boolean) {
    this.#ignoreNotFound = ignoreNotFound;
  }

  objectFailed(position: number, failure: Failure): void {
    if (this.#ignoreNotFound && isNotFound(failure)) return;
    this.#ofObjects.set(position, failure);
  }

  sourceFailed(failure: Failure): void {
    if (this.#ignoreNotFound && isNotFound(failure)) return;
    this.#ofSources.push(failure);
  }

  get failed(): boolean {
    return this.#ofObjects.size + this.#ofSources.length > 0;
  }

  /** In kubectl's order: objects as they were met, then what could not be read, in one line. */
  lines(): string[] {
    const objects = [...this.#ofObjects].sort(([a], [b]) => a - b).map(([, failure]) => failure);
    const sources = this.#ofSources;
    if (this.timedOut !== undefined && !this.failed) return [`error: ${this.timedOut}`];
    const [only, ...more] = [...objects, ...sources];
    if (only === undefined) return [];
    if (more.length === 0) {
      return [only.status || only.inList ? messageOf(only) : `error: ${only.message}`];
    }
    if (objects.length === 0 || sources.length === 0) return [only, ...more].map(messageOf);
    const unread = sources.map(messageOf);
    return [...objects.map(messageOf), unread.length > 1 ? `[${unread.join(', ')}]` : `${unread}`];
  }

  exitCode(): ExitCode {
    if (this.ended === 'interrupted') return exitCodes.interrupted;
    if (this.accepted > 0 && this.left > 0) return exitCodes.incomplete;
    if (this.left > 0) return exitCodes.failed;
    return this.failed ? exitCodes.failed : exitCodes.ok;
  }
}

import type { CoverageProblem, ProblemReason } from '../../snapshot/coverage.ts';

/** More problems of one sort in one file are counted, not listed. */
const listed = 20;

/** The problems of one input. */
export class ProblemLog {
  readonly #path: string;
  readonly #problems: CoverageProblem[] = [];
  #first: string | undefined;
  readonly #counts = new Map<ProblemReason, number>();

  constructor(path: string) {
    this.#path = path;
  }

  /** `message` is about the document; the input and the line are put in front of it. */
  add(reason: ProblemReason, message: string, line?: number): void {
    const count = (this.#counts.get(reason) ?? 0) + 1;
    this.#counts.set(reason, count);
    this.#first ??= line === undefined ? message : `line ${line}: ${message}`;
    if (count > listed) return;
    const path = this.#path;
    const where = line === undefined ? path : `${path}:${line}`;
    const problem = { reason, message: `${where}: ${message}`, path };
    this.#problems.push(line === undefined ? problem : { ...problem, line });
  }

  /** The first problem, without the input's path. */
  get first(): string | undefined {
    return this.#first;
  }

  all(): CoverageProblem[] {
    const path = this.#path;
    const more = [...this.#counts].flatMap(([reason, count]) =>
      count > listed
        ? [{ reason, message: `${path}: ${count - listed} more problems like these`, path }]
        : [],
    );
    return [...this.#problems, ...more];
  }
}

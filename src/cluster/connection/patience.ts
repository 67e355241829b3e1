import type { ClientEnvironment } from './client-environment.ts';

/** Milliseconds. The API server gives up a request itself by then (its --request-timeout). */
const longestWait = 60_000;
/** Once a request has hung, and until another is answered, no further one is waited for any longer. */
const waitAfterHang = 5_000;
/** Bytes that earn an answer another second; a slower one would not end today. */
const slowestAnswer = 16 * 1024;
const firstRemark = 10_000;
const nextRemark = 30_000;

/** One request on its way. */
export interface AwaitedAnswer {
  /** When its request began, by performance.now(). */
  readonly since: number;
  /** Milliseconds without a byte after which no more is expected. */
  readonly longestSilence: number;
  /** Milliseconds that it may take in all, when so many bytes have come. */
  allowed(bytes: number): number;
  /** `hung`: it was given up; `answered`: the answer is there in full; `ended`: for any other reason. */
  end(how: 'hung' | 'answered' | 'ended'): void;
}

/**
 * How long the answers of one server are waited for: all of its requests have a limit, which grows
 * with what arrives. Says what is waited for after 10 s, and every 30 s from then on.
 */
export class RequestDeadlines {
  readonly #remark: (line: string) => void;
  /** What is waited for, and since when, the oldest first. */
  readonly #waiting = new Map<AwaitedAnswer, string>();
  #hangs = false;
  #lastRemark = Number.NEGATIVE_INFINITY;
  #clock: NodeJS.Timeout | undefined;

  constructor({ remark = () => undefined }: Pick<ClientEnvironment, 'remark'>) {
    this.#remark = remark;
  }

  /** `timeout`: what --request-timeout says, in milliseconds; 0 for nothing. */
  begin(what: string, timeout: number): AwaitedAnswer {
    const since = performance.now();
    const isLate = this.#hangs;
    const answer: AwaitedAnswer = {
      since,
      longestSilence: timeout > 0 ? Number.POSITIVE_INFINITY : longestWait,
      allowed: (bytes) => {
        if (timeout > 0) return isLate ? Math.min(timeout, waitAfterHang) : timeout;
        return (isLate ? waitAfterHang : longestWait) + 1000 * Math.floor(bytes / slowestAnswer);
      },
      end: (how) => {
        if (!this.#waiting.delete(answer)) return;
        if (how !== 'ended') this.#hangs = how === 'hung';
        if (this.#waiting.size === 0) clearInterval(this.#clock);
      },
    };
    if (this.#waiting.size === 0) this.#clock = setInterval(() => this.#look(), 1000).unref();
    this.#waiting.set(answer, what);
    return answer;
  }

  #look(): void {
    const [oldest] = this.#waiting;
    if (!oldest) return;
    const [{ since }, what] = oldest;
    const now = performance.now();
    const waited = now - since;
    if (waited < firstRemark || now - this.#lastRemark < nextRemark) return;
    this.#lastRemark = now;
    const others = this.#waiting.size - 1;
    const more = others === 0 ? '' : `, and ${others} more`;
    this.#remark(`Waiting for ${what}${more}: ${Math.round(waited / 1000)} s so far`);
  }
}

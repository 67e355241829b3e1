import type { DeleteAnswer } from './delete-answer.ts';
import type { Happening } from './execution.ts';
import { isTransient } from './transient-error.ts';

/** How a request ended. */
export type SendResult = Extract<Happening, { type: 'sent' | 'skipped' | 'refused' }>;

/** Failures of the server itself may be for ever, as of a webhook that nobody answers. */
export const mostServerErrors = 4;

/** A server may ask to wait this long, in milliseconds. */
export const longestAsked = 30_000;

/** A webhook's denial is for good, whatever code it chose. */
export function mayRetry({ code, message }: DeleteAnswer): boolean {
  if (/^admission webhook .* denied the request/.test(message)) return false;
  return code === 0 || code === 409 || code === 429 || [500, 502, 503, 504].includes(code);
}

/** No answer: with code 0 it is asked again, with -1 that would not help. */
export function lostAnswer(error: unknown): DeleteAnswer {
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: isTransient(error) ? 0 : -1,
    reason: 'NoAnswer',
    message,
    namesObject: false,
    uid: undefined,
    retryAfter: undefined,
  };
}

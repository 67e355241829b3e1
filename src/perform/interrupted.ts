import { exitCodes, GcError } from '../errors.ts';

/** Throws when Ctrl-C was pressed before anything was sent. */
export function refuseInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw interrupted();
}

/** Ends a step that is under way as soon as Ctrl-C is pressed; `done` says what was done until then. */
export async function orInterrupted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  done?: string,
): Promise<T> {
  return orAborted(work, signal, () => {
    throw interrupted(done);
  });
}

/** What the work gives, or what `onAbort` does when the signal is aborted first. */
export async function orAborted<T, A>(
  work: Promise<T>,
  signal: AbortSignal,
  onAbort: () => A,
): Promise<T | A> {
  const { promise, resolve, reject } = Promise.withResolvers<A>();
  const abort = () => {
    try {
      resolve(onAbort());
    } catch (error) {
      reject(error);
    }
  };
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Before the first request, or with what was done until then. */
export function interrupted(done = 'Nothing was sent.'): GcError {
  return new GcError('interrupted', {
    code: 'interrupted',
    exitCode: exitCodes.interrupted,
    suggestions: [done],
  });
}

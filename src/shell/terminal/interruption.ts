import { exitCodes } from '../../errors.ts';
import { orAborted, orInterrupted } from '../../perform/interrupted.ts';
import { isScreenDrawn } from './screen.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * How long signals count as one press, in milliseconds: npm and `timeout` pass on to the process what the
 * terminal, or they themselves, send to its whole group.
 */
const onePressMs = 250;

/**
 * Listens to Ctrl-C, SIGTERM and the end of the terminal while `work` runs, which stops and reports what was done; a second
 * press ends the process immediately.
 */
export async function withInterruption<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let pressedAt = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    if (signal === 'SIGINT' && isLaunched()) return;
    const now = performance.now();
    if (!controller.signal.aborted) pressedAt = now;
    else if (now - pressedAt > onePressMs) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  for (const signal of signals) process.on(signal, onSignal);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
    // A pending read of stdin would keep the process running.
    if (controller.signal.aborted) process.stdin.unref?.();
  }
}

/**
 * Work that may take long and sends nothing. While it runs, no listener to a signal is called: so none
 * is registered, and a signal ends the process immediately, unless the terminal has to be restored.
 */
export function computing<T>(work: () => T): T {
  if (isScreenDrawn()) return work();
  const listeners = signals.map((signal) => [signal, process.listeners(signal)] as const);
  for (const signal of signals) process.removeAllListeners(signal);
  try {
    return work();
  } finally {
    for (const [signal, all] of listeners) for (const one of all) process.on(signal, one);
  }
}

/** Did bin/kubectl-gc.cjs start this process? Then it passes Ctrl-C on as SIGTERM: both are one press. */
function isLaunched(): boolean {
  return process.env.KUBECTL_GC_LAUNCHER === String(process.ppid);
}

/** Until Ctrl-C, where nothing else is waited for. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return orAborted(new Promise<never>(() => undefined), signal, () => undefined);
}

/** The same before anything is sent, where nothing else listens yet. */
export function orNothingSent<T>(work: Promise<T>): Promise<T> {
  return withInterruption((signal) => orInterrupted(work, signal));
}

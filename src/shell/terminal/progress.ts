import { printable } from '../../output/printable.ts';
import { wantsAscii, writeErr } from './streams.ts';

/** What a long step reports while it runs. */
export interface Progress {
  update(text: string): void;
  stop(): void;
}

/** Shorter waits need no spinner; with the start of a command, a person sees something within 0.3 s. */
const showAfterMs = 40;

/** Shows one line of progress on a terminal while `work` runs. */
export async function withProgress<T>(
  text: string,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const { update, stop } = startDrawing(printable(text));
  try {
    return await work({ update: (next) => update(printable(next)), stop });
  } finally {
    stop();
  }
}

/** What is under way, the latest step last. */
const underWay: { text: string }[] = [];

/** How often a line says what is waited for, where nothing can be drawn. */
const reportEveryMs = 30_000;

/** Says on stderr now and then what is waited for, where no spinner shows it; answers what ends that. */
export function reportAtIntervals(): () => void {
  if (canDraw()) return () => undefined;
  const timer = setInterval(() => {
    const step = underWay.at(-1);
    writeErr(step ? `Waiting: ${step.text}` : 'Still working.');
  }, reportEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** From now on no spinner is drawn, as something else is on the terminal; answers what ends that. */
export function withoutDrawing(): () => void {
  const step = { text: '' };
  underWay.unshift(step);
  return () => {
    underWay.splice(underWay.indexOf(step), 1);
  };
}

/** A spinner with what `output` made for a terminal. Ora is loaded only when it is needed. */
export function startDrawing(text: string): Progress {
  const step = { text };
  // One line can be drawn: that of the outer step, such as of several clusters, which are asked at a time.
  const isOuter = underWay.push(step) === 1;
  const spinner = isOuter && canDraw() ? startSpinner(step) : undefined;
  return {
    update: (next) => {
      step.text = next;
      spinner?.update();
    },
    stop: () => {
      const at = underWay.indexOf(step);
      if (at >= 0) underWay.splice(at, 1);
      spinner?.stop();
    },
  };
}

/** A terminal without a size, as some programs make them, cannot be drawn on: ora would never end. */
export function canDraw(): boolean {
  return process.stderr.isTTY === true && process.stderr.columns > 0 && !process.env.CI;
}

function startSpinner(step: { readonly text: string }) {
  let spinner: { text: string; stop(): unknown } | undefined;
  let stopped = false;
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora');
    if (stopped) return;
    // Otherwise ora takes stdin for itself, and Ctrl-C with it.
    const look = { stream: process.stderr, discardStdin: false };
    const drawn = wantsAscii(process.stderr) ? ({ ...look, spinner: 'line' } as const) : look;
    spinner = ora({ ...drawn, text: step.text }).start();
  }, showAfterMs);
  return {
    update: () => {
      if (spinner) spinner.text = step.text;
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      spinner?.stop();
    },
  };
}

/** Draws what has changed, not too often, and never leaves out the last change. `interval` in milliseconds. */
export function redrawing(draw: () => void, interval: number) {
  let drawn = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const drawNow = () => {
    timer = undefined;
    drawn = performance.now();
    draw();
  };
  return {
    /** Draws now, or as soon as the interval since the last drawing is over. */
    update: () => {
      if (timer) return;
      const wait = drawn + interval - performance.now();
      if (wait <= 0) drawNow();
      else timer = setTimeout(drawNow, wait);
    },
    /** Cancels a pending drawing; the next update draws immediately. */
    cancel: () => {
      clearTimeout(timer);
      timer = undefined;
      drawn = Number.NEGATIVE_INFINITY;
    },
  };
}

import { printable } from '../../output/printable.ts';

/** What a long step tells while it runs. */
export interface Progress {
  update(text: string): void;
  stop(): void;
}

const silent: Progress = { update: () => undefined, stop: () => undefined };
/** Shorter waits need no spinner. */
const showAfterMs = 400;

/** Shows one line of text on what goes on while `work` runs, when a person watches. */
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

/** A spinner with what `output` made for a terminal. Ora is loaded only when it is needed. */
export function startDrawing(text: string): Progress {
  // A terminal without a size, as some programs make them, cannot be drawn on: ora would never end.
  if (!process.stderr.isTTY || !process.stderr.columns || process.env.CI) return silent;
  let current = text;
  let spinner: { text: string; stop(): unknown } | undefined;
  let stopped = false;
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora');
    if (stopped) return;
    // Otherwise ora takes stdin for itself, and Ctrl-C with it.
    spinner = ora({ text: current, stream: process.stderr, discardStdin: false }).start();
  }, showAfterMs);
  return {
    update: (next) => {
      current = next;
      if (spinner) spinner.text = next;
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      spinner?.stop();
    },
  };
}

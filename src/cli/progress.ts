/** What a long step tells while it runs. */
export interface Progress {
  update(text: string): void;
  stop(): void;
}

const silent: Progress = { update: () => undefined, stop: () => undefined };
/** Shorter waits need no spinner. */
const showAfterMs = 400;

/** A spinner on stderr, when a person watches; ora is loaded only then. */
export function startProgress(text: string): Progress {
  if (!process.stderr.isTTY || process.env.CI) return silent;
  let current = text;
  let spinner: { text: string; stop(): unknown } | undefined;
  let stopped = false;
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora');
    if (!stopped) spinner = ora({ text: current, stream: process.stderr }).start();
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

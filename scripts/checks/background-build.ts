import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { endWithUs } from './step.ts';

/** A build of the control plane that goes on while other checks run. */
export interface BackgroundBuild {
  /** Shows the build's progress from now on; resolves with whether it succeeded. */
  wait(): Promise<boolean>;
  stop(): void;
}

/** Starts building the control plane, with low priority so that the tests keep their pace. */
export function startBackgroundBuild(root: string): BackgroundBuild {
  const child = spawn(process.execPath, [join(root, 'scripts/control-plane.mjs')], {
    cwd: root,
    // A group of its own: stopping it has to reach the compiler, too.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  let unseen = '';
  let show = (text: string): void => {
    unseen += text;
  };
  child.stderr.setEncoding('utf8').on('data', (text) => show(text));
  const ended = once(child, 'close');
  const stop = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid);
  };
  const forget = endWithUs(child, stop);
  return {
    async wait() {
      process.stderr.write(unseen);
      show = (text) => process.stderr.write(text);
      const [code] = await ended;
      forget();
      return code === 0;
    },
    stop() {
      forget();
      stop();
    },
  };
}

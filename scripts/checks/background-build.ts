import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { endGroup, spawnGroup } from './group.ts';

/** A build of the control plane that goes on while other checks run. */
export interface BackgroundBuild {
  /** Shows the build's progress from now on; resolves with whether it succeeded. */
  wait(): Promise<boolean>;
  stop(): void;
}

/** Starts building the control plane, with low priority so that the tests keep their pace. */
export function startBackgroundBuild(root: string): BackgroundBuild {
  const child = spawnGroup([join(root, 'scripts/control-plane.mjs')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  let unseen = '';
  let show = (text: string): void => {
    unseen += text;
  };
  child.stderr?.setEncoding('utf8').on('data', (text) => show(text));
  const ended = once(child, 'close');
  return {
    async wait() {
      process.stderr.write(unseen);
      show = (text) => process.stderr.write(text);
      const [code] = await ended;
      return code === 0;
    },
    stop: () => endGroup(child),
  };
}

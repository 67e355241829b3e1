import { shrinkingTree } from '../../reporters/progress-tree.ts';
import { startProgress } from '../progress.ts';
import { wantsColour } from '../streams.ts';
import type { Account } from './account.ts';

/** The tree of what is still there, on a terminal, until it is hidden. */
export interface LiveTree {
  update(): void;
  /** Makes room for a line; the next update draws again. */
  hide(): void;
}

/** At most this often, as thousands of objects may go within a second. */
const redrawMs = 100;

export function liveTree(account: Account, noColour: boolean): LiveTree {
  const { stderr } = process;
  const colour = wantsColour(stderr, noColour);
  let progress: ReturnType<typeof startProgress> | undefined;
  let drawn = Number.NEGATIVE_INFINITY;
  const text = () => {
    const width = stderr.columns ? stderr.columns - 4 : undefined;
    const lines = Math.max(4, Math.min(20, (stderr.rows || 24) - 4));
    return shrinkingTree(account.plan, account.observations, { width, colour, lines });
  };
  return {
    update: () => {
      if (!stderr.isTTY || performance.now() - drawn < redrawMs) return;
      drawn = performance.now();
      progress ??= startProgress(text());
      progress.update(text());
    },
    hide: () => {
      progress?.stop();
      progress = undefined;
      drawn = Number.NEGATIVE_INFINITY;
    },
  };
}

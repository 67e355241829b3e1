import { vi } from 'vitest';
import type { planDeletion } from '../../../src/deletion/plan/plan-deletion.ts';

/**
 * Plans as they are when the whole cluster is played, and whole families again in other orders: the reference for
 * plans that play less. It stands on modules of its own, and leaves those of others as they are.
 */
export async function planOfWholePlay(): Promise<typeof planDeletion> {
  const reach = '../../../src/simulator/reach.ts';
  const part = '../../../src/simulator/engine/order-dependent-part.ts';
  vi.resetModules();
  vi.doMock(reach, () => ({ reachOf: () => undefined }));
  vi.doMock(part, () => import('./order-dependent-part.ts'));
  try {
    return (await import('../../../src/deletion/plan/plan-deletion.ts')).planDeletion;
  } finally {
    vi.doUnmock(reach);
    vi.doUnmock(part);
    vi.resetModules();
  }
}

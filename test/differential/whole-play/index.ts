import { registerHooks } from 'node:module';
import type { planDeletion } from '../../../src/deletion/plan/plan-deletion.ts';

/** What ends the URLs of the modules that the reference stands on. */
const whole = '?whole';
const source = new URL('../../../src/', import.meta.url).href;
const standIns = new Map([
  [`${source}simulator/reach.ts`, import.meta.resolve('./reach.ts')],
  [
    `${source}simulator/engine/order-dependent-part.ts`,
    import.meta.resolve('./order-dependent-part.ts'),
  ],
]);

/**
 * Plans as they are when the whole cluster is played, and whole families again in other orders: the reference for
 * plans that play less. It stands on modules of its own, and leaves those of others as they are.
 */
export async function planOfWholePlay(): Promise<typeof planDeletion> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const { parentURL = '' } = context;
      if (!parentURL.endsWith(whole) || !found.url.startsWith(source)) return found;
      const isSource = parentURL.startsWith(source);
      return { ...found, url: `${(isSource && standIns.get(found.url)) || found.url}${whole}` };
    },
  });
  try {
    const url = `${source}deletion/plan/plan-deletion.ts${whole}`;
    return (await import(/* @vite-ignore */ url)).planDeletion;
  } finally {
    hooks.deregister();
  }
}

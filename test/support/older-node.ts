import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * An environment in which the first process believes that it is an older Node; the one it starts is what
 * it is.
 */
export function olderNode(): { readonly NODE_OPTIONS: string } {
  const preload = join(temporaryFolder(), 'pretend-to-be-old.cjs');
  writeFileSync(
    preload,
    `if (!process.env.PRETENDED) {
      process.env.PRETENDED = '1';
      Object.defineProperty(process.versions, 'node', { value: '22.18.0' });
    }`,
  );
  return { NODE_OPTIONS: `--require ${preload}` };
}

import { booleanFlag, textFlag } from './flag-kinds.ts';
import type { CommonFlags, ValuesOf } from './flags.ts';

export const nodeFlags = {
  all: booleanFlag('all nodes'),
  selector: textFlag('SELECTOR', 'only nodes with these labels, as in -l pool=spot', { char: 'l' }),
};

export type NodeFlags = CommonFlags & ValuesOf<typeof nodeFlags>;

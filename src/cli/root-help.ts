import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { rootHelp } from './oclif/inlined-root-help.ts';
import { writeOut } from './terminal/streams.ts';

/** The cluster that examples are about; help names it by a path that works where the reader is. */
const bundled = 'examples/';
export const example = `${bundled}clusters/shop.json.gz`;

export function pathsHere(text: string, root: string): string {
  return existsSync(example) ? text : text.replaceAll(` ${bundled}`, ` ${join(root, bundled)}`);
}

/** Columns that oclif gives help where no terminal reads. */
export const pipeWidth = 80;

/** Prints the help that the build made of all commands; false where oclif would make another of it, or nothing was built. */
export async function printRootHelp(root: string): Promise<boolean> {
  if (rootHelp === undefined || !looksAsBuilt(process.env)) return false;
  await writeOut(pathsHere(rootHelp, root));
  return true;
}

/** Without a terminal, the width and the colours of oclif's help depend on these two variables alone. */
function looksAsBuilt({ OCLIF_COLUMNS, FORCE_COLOR }: NodeJS.ProcessEnv): boolean {
  return OCLIF_COLUMNS === undefined && FORCE_COLOR === undefined && !process.stdout.isTTY;
}

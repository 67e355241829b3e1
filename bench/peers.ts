import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Other people's programs that answer a like question; those that are not in PATH are left out of a table. */
export type Peer = 'kubectl-tree' | 'kubectl-check-ownerreferences';

export function findPeer(peer: Peer): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = folders.map((folder) => join(folder, peer)).find(isProgram);
  if (found === undefined) console.log(`${peer} is not in PATH, and is left out`);
  return found;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

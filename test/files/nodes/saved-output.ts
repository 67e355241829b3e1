import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A folder for saved output of nodes: where a file of it is, and how one is written; values are written as JSON. */
export function savedOutput() {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  const write = (name: string, content: unknown): string => {
    const path = at(name);
    mkdirSync(dirname(path), { recursive: true });
    const isText = typeof content === 'string' || Buffer.isBuffer(content);
    writeFileSync(path, isText ? content : JSON.stringify(content));
    return path;
  };
  return { at, write };
}

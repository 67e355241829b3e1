import { existsSync, promises as fs } from 'node:fs';
import { join } from 'node:path';
import { timestampOf } from '../../kube/time.ts';

/**
 * Where the next snapshot of a history goes: `2026-11-22T18-20-00Z.json.gz`, in the order of time, and without
 * the colons that Windows refuses. Of two within one second the later is named by the next one.
 */
export function nextHistoryFile(folder: string, observedAt: string): string {
  for (let time = Date.parse(observedAt); ; time += 1000) {
    const path = join(folder, `${timestampOf(time).replaceAll(':', '-')}.json.gz`);
    if (!existsSync(path)) return path;
  }
}

const name = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.json\.gz$/;

/** The files of a history, the oldest first. */
export async function historyFiles(folder: string): Promise<string[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => entry.name)
    .sort();
}

import { promises as fs } from 'node:fs';
import { timestampOf } from '../../kube/time.ts';

/** `2026-11-22T18-20-00Z.json.gz`: in the order of time, and without the colons that Windows refuses. */
export function historyName(observedAt: string): string {
  return `${timestampOf(Date.parse(observedAt)).replaceAll(':', '-')}.json.gz`;
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

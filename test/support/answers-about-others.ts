import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../src/kube/json-value.ts';
import { commandLines } from './command-lines.ts';
import { objects } from './odd-objects.ts';
import { gcHere } from './run-here.ts';

/** What is wrong in another namespace, and is found whatever stands beside it. */
const elsewhere = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'lost',
    namespace: 'elsewhere',
    uid: 'lost',
    ownerReferences: [{ apiVersion: 'v1', kind: 'PodTemplate', name: 'gone', uid: 'gone' }],
  },
};

/** Objects with names of their own, so that what is said of others is the same. */
const leftAlone = [
  elsewhere,
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elsewhere', uid: 'ns' } },
];

/** The objects, and those that are left alone, in a file. */
export function fileBeside(path: string, items: readonly unknown[]): string {
  const list = { apiVersion: 'v1', kind: 'List', items: [...items, ...leftAlone] };
  writeFileSync(path, JSON.stringify(list));
  return path;
}

/** Every command line that takes such a file; earlier objects of its cluster stand in a file of the folder. */
export function linesAbout(file: string, folder: string): (readonly string[])[] {
  const before = fileBeside(join(folder, 'before.json'), objects);
  const lines = commandLines({
    ...{ file, before, backups: folder, namespace: 'elsewhere' },
    ...{ object: 'configmap/lost', owned: 'configmap/lost', ending: 'configmap/lost' },
  });
  return (
    Object.values(lines)
      .flat()
      // Objects that `-f` names are asked for by name: one that no server accepts is an error of its own.
      .filter((line) => line.includes(file) && !line.includes('-f'))
  );
}

/** What a line prints of the objects that were left alone; it has to end by itself, and as it should. */
export async function answerAboutOthers(line: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await gcHere([...line, '-o', 'json']);
  const isBug = /this is a bug|undefined|NaN|Invalid (?:time|date)/i.test(stdout + stderr);
  if (isBug || !stdout) return `exit code ${code}: ${isBug ? stderr : ''}`;
  const { items = [], kind } = JSON.parse(stdout);
  // A simulation and a comparison show a moment, and the whole.
  if (['Simulation', 'SnapshotDiff', 'Deletions'].includes(kind)) return kind;
  return items.filter((item: Json) => JSON.stringify(item).includes('"elsewhere"'));
}

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { fieldsOf, type Json } from '../../../src/kube/json-value.ts';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const mark = 'test/poison';

/** An error that no code expects, where the spec and status of this object are read. It replaces a module, so that this test is none of those that share modules. */
vi.mock('../../../src/kube/record-codec.ts', async (original) => {
  const codec = await original<typeof import('../../../src/kube/record-codec.ts')>();
  const fail = () => {
    throw new RangeError('Invalid time value');
  };
  const poison: never = new Proxy([] as never, { get: fail, has: fail, ownKeys: fail });
  const recordOf: typeof codec.recordOf = (object, type, place) => {
    const record = codec.recordOf(object, type, place);
    const { annotations } = fieldsOf(object.metadata);
    return mark in fieldsOf(annotations) ? { ...record, facts: poison } : record;
  };
  return { ...codec, recordOf };
});

const folder = temporaryFolder();
const read = ['leftovers', 'stuck', 'what-follows'].flatMap((name) =>
  parseAllDocuments(readFileSync(`examples/clusters/${name}.yaml`, 'utf8')).map(
    (document) => document.toJS() as Json & { kind: string; metadata: Json & { name: string } },
  ),
);
/** Each object once. */
const objects = [
  ...new Map(
    read.map((one) => [`${one.kind}/${one.metadata.namespace}/${one.metadata.name}`, one]),
  ).values(),
];
const gone = { apiVersion: 'v1', kind: 'PodTemplate', name: 'gone', uid: 'gone' };
/** In a namespace that nothing else is in: what is said of it is the same, whatever is wrong elsewhere. */
const elsewhere = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'lost', namespace: 'elsewhere', uid: 'lost', ownerReferences: [gone] },
};

const kinds = [...new Set(objects.map(({ kind }) => kind))];

function fileWith(kind: string): { file: string; name: string } {
  const poisoned = objects.find((one) => one.kind === kind);
  const items = objects.map((one) => {
    if (one !== poisoned) return one;
    const annotations = { [mark]: 'yes' };
    return { ...one, metadata: { ...one.metadata, annotations } };
  });
  const file = join(folder, 'objects.json');
  const list = { apiVersion: 'v1', kind: 'List', items: [...items, elsewhere] };
  writeFileSync(file, JSON.stringify(list));
  return { file, name: `${kind} ${poisoned?.metadata.name}` };
}

/** Of all kinds, and of Pods alone, which most controllers look at. */
const ofAll = ['audit --allow-incomplete --fail-on never', 'why -A'];
const ofPods = [
  'forecast',
  'invalid-ownerrefs -A',
  'orphans -A',
  'owners configmap/lost -n elsewhere',
  'podgc-preview',
  'simulate --delete configmap/lost -n elsewhere',
  'status',
  'tree node/worker-1',
  'why configmap/lost -n elsewhere',
  'delete configmap/lost -n elsewhere --preview',
];

describe('an object that cannot be judged ends no command, and is named:', () => {
  test.each(kinds)('a %s whose spec and status cannot', async (kind) => {
    const { file, name } = fileWith(kind);
    const from = `--complete --now 2026-01-31T12:00:00Z --from ${file} -o json`;
    const faults: string[] = [];
    let named = 0;
    for (const line of kind === 'Pod' ? [...ofAll, ...ofPods] : ofAll) {
      const { code, stdout, stderr } = await gcHere(`${line} ${from}`);
      const isDone = code !== 2 && !stderr.includes('error:');
      const { coverage } = isDone ? JSON.parse(stdout) : {};
      const isNamed = JSON.stringify(coverage ?? '').includes(`${name} `);
      if (isNamed) named++;
      if (!isDone) faults.push(`${line}: ${stderr}`);
      if (isNamed && coverage.complete) faults.push(`${line}: called complete`);
      const isFound = stdout.includes('"lost"');
      if (/^(audit|forecast|orphans|invalid)/.test(line) && !isFound) faults.push(`${line}: lost`);
    }
    expect(faults).toEqual([]);
    expect(named).toBeGreaterThan(0);
  });
});

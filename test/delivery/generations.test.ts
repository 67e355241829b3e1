import { expect, test } from 'vitest';
import { generationNamesIn } from '../../src/delivery/generation-names.ts';
import { Mentions } from '../../src/delivery/mentions.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { orphansReport } from '../../src/questions/orphans/document.ts';
import {
  configMap,
  deployment,
  graphOf,
  ownedBy,
  replicaSet,
  type SnapshotOptions,
  secret,
  widget,
} from '../support/builders.ts';

const [live, past, dead] = ['settings-5h2m8k9b4t', 'settings-7c6d2f8g9h', 'settings-k8t2m4b6c9'];
const family = [live, past, dead].map((name = '') => configMap(name));
const web = deployment('web');
const old = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });
const template = (name = '') => ({
  template: { spec: { containers: [{ envFrom: [{ configMapRef: { name } }] }] } },
});
const named: readonly [ObjectRecord, object][] = [
  [web, { spec: template(live) }],
  [old, { spec: { replicas: 0, ...template(past) } }],
];

/** `settings-…: owners: because`, one line for each generation that is listed. */
function told(
  records: readonly ObjectRecord[],
  objects: readonly (readonly [ObjectRecord, object])[],
  options: SnapshotOptions = {},
): string[] {
  const mentions = new Mentions();
  for (const [record, rest] of objects) mentions.add({ ...rest }, record);
  const graph = graphOf([...records, ...objects.map(([record]) => record)], options);
  const { items } = orphansReport(graph, { generations: true, mentions });
  return items.map(({ object, owners, gc }) => `${object.name} ${owners}: ${gc.because}`);
}

test('generations that only history or no object names are listed, with the evidence', () => {
  const lines = told(family, named).join('\n');
  expect(lines.replace(/\d+ kinds/, 'N kinds')).toMatchInlineSnapshot(`
    "settings-7c6d2f8g9h old-generation: kustomize made it as one of 3 generations of settings; Deployment web names settings-5h2m8k9b4t; only ReplicaSet web-1 names this one, for a rollback
    settings-k8t2m4b6c9 old-generation: kustomize made it as one of 3 generations of settings; Deployment web names settings-5h2m8k9b4t; nothing in its namespace, or in none, names this one (N kinds were searched)"
  `);
});

test('a generation that any text of any kind names is in use', () => {
  const custom = [widget('w'), { spec: { command: `cat /etc/${dead}/a` } }] as const;
  expect(told(family, [...named, custom])).toHaveLength(1);
  const elsewhere = [widget('w', { namespace: 'bank' }), { spec: { name: dead } }] as const;
  expect(told(family, [...named, elsewhere])).toHaveLength(2);
});

test('no generation is called unused if a kind was not searched', () => {
  const lines = told(family, named, { unread: ['statefulsets.apps'] });
  const [first, second, ...others] = lines.map((line) => line.split('; ').at(-1));
  expect([second, others]).toEqual([first, []]);
  expect(first).toMatchInlineSnapshot(
    `"whether something names it is not known: statefulsets.apps were not read"`,
  );
  const onlyMetadata = [...named, [replicaSet('bare'), {}] as const];
  expect(told(family, onlyMetadata).every((line) => line.includes(' unknown: '))).toBe(true);
});

const pruned = { labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' } };
test.each<[string, ObjectRecord[]]>([
  ['one of its kind', [configMap('settings-5h2m8k9b4t')]],
  ['of two kinds', [configMap('settings-5h2m8k9b4t'), secret('settings-7c6d2f8g9h')]],
  ['not named by kustomize', [configMap('a-0000000000'), configMap('a-1111111111')]],
  ['that has an owner', family.map((record) => ({ ...record, ownerReferences: [ownedBy(web)] }))],
  ['pruned by delivery tools', family.map(({ name }) => configMap(name, pruned))],
])('objects %s are no generations', (_, records) => {
  expect(told(records, named)).toEqual([]);
});

test.each(['.', './', '..', '-', '-.', './a', '.-2456789bcd'])(
  '%j is searched to its end',
  (text) => {
    expect(generationNamesIn({ text })).toEqual(new Set());
  },
);

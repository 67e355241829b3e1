import { expect, test } from 'vitest';
import { podType } from '../../src/kube/core-types.ts';
import { coverageIndexOf } from '../../src/snapshot/coverage.ts';
import { snapshotOfText } from '../../src/try/answer.ts';

const now = new Date('2026-01-31T12:00:00Z');
const namesIn = (text: string) =>
  snapshotOfText(text, now).records.map(({ type, name }) => `${type.kind}/${name}`);
const named = (name: string) => ({ metadata: { name, namespace: 'shop', uid: `uid-${name}` } });

test('the items of a list of one kind are of that kind, as the API server answers', () => {
  const list = { apiVersion: 'v1', kind: 'PodList', items: [named('web-1'), named('web-2')] };
  expect(namesIn(JSON.stringify(list))).toEqual(['Pod/web-1', 'Pod/web-2']);
});

test('lists lie in lists, and documents of nothing but comments say nothing', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', ...named('web-1') };
  const list = { apiVersion: 'v1', kind: 'List', items: [pod] };
  const lists = { apiVersion: 'v1', kind: 'List', items: [list] };
  const text = `# first\n---\n${JSON.stringify(lists)}\n---\n# last\n`;
  expect(namesIn(text)).toEqual(['Pod/web-1']);
  expect(snapshotOfText(text, now).coverage.problems).toEqual([]);
});

test('JSON values stand one after the other, and only a comment behind a separator', () => {
  const pods = ['web-1', 'web-2'].map((name) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...named(name) }),
  );
  expect(namesIn(pods.join('\n'))).toEqual(['Pod/web-1', 'Pod/web-2']);
  expect(namesIn(pods.join('\n---\n'))).toEqual(['Pod/web-1', 'Pod/web-2']);
  expect(namesIn(`--- ${pods[0]}\n--- # next\n${pods[1]}`)).toEqual(['Pod/web-2']);
});

test('a part that could not be read makes unknown only the objects that it may contain', () => {
  const config = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop, uid: of-a}\n`;
  const covered = (text: string) => {
    const { coverage, types } = snapshotOfText(text, now);
    const index = coverageIndexOf(coverage);
    const covers = (kind: string) => index.coversKind(types.find('v1', kind) ?? podType, 'shop');
    return ['Pod', 'ConfigMap', 'Secret'].filter(covers);
  };
  expect(covered(config)).toEqual(['Pod', 'ConfigMap', 'Secret']);
  expect(covered(`${config}---\nkind: Pod\nmetadata: {name: [\n`)).toEqual(['ConfigMap', 'Secret']);
  const list = `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a" "b"}}]}`;
  expect(covered(`${config}---\n${list}`)).toEqual(['ConfigMap', 'Secret']);
});

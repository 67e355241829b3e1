import { describe, expect, test } from 'vitest';
import type { SetAside } from '../../src/files/repository.ts';
import { showFolder } from './temp-folder.ts';

const object = (name: string, more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${more}`;

/** What a folder of these files shows: objects, problems but for missing uids, and what is set aside. */
async function shown(files: Readonly<Record<string, string>>) {
  let found: readonly SetAside[] = [];
  const { objects, problems } = await showFolder(files, {
    onAside: (aside) => {
      found = aside;
    },
  });
  return {
    objects: objects.map((line) => line.replace(/ v1 /, ' ')),
    problems: problems.filter((line) => !line.startsWith('no-uid')),
    aside: found.map(
      ({ what, path }) => `${what} ${path.replace(/^.*kubectl-gc-files-[^/]*\/?/, '')}`,
    ),
  };
}

test('a chart is set aside with its templates and values, and what else is in it is read', async () => {
  const files = {
    'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'chart/values.yaml': 'image: web\n',
    'chart/values-production.yaml': 'replicas: {{ three }}\n',
    'chart/crds/shop.yaml': object('defined'),
    'chart/templates/web.yaml': 'kind: Pod\n{{- if .Values.on }}\nx: {{ .Values.x }}\n{{- end }}\n',
    'chart/templates/tests/try.yaml': object('tried'),
  };
  expect(await shown(files)).toEqual({
    objects: ['chart/crds/shop.yaml:1 ConfigMap defined'],
    problems: [],
    aside: ['chart chart'],
  });
});

test('templates without a chart are no templates of a chart', async () => {
  const files = { 'templates/web.yaml': 'a: {{ .Values.a }\n', 'a.yaml': object('a') };
  const { problems, aside } = await shown(files);
  expect([problems.length, aside]).toEqual([1, []]);
});

test('a kustomization is set aside with the files that are no objects of their own', async () => {
  const files = {
    'prod/kustomization.yaml': [
      'resources: [web.yaml]',
      'patches: [{path: more.yaml}, {patch: "- op: remove"}]',
      'patchesStrategicMerge: [../shared/less.yaml, "a: 1\\nb: 2"]',
      'configMapGenerator: [{name: x, files: [page=page.json]}]',
      'transformers: [how]',
    ].join('\n'),
    'prod/web.yaml': object('web'),
    'prod/more.yaml': object('web', 'data: {a: b}\n'),
    'prod/page.json': '{"kind": "Dashboard"}',
    'prod/how/labels.yaml': 'kind: LabelTransformer\n',
    'prod/other.yaml': 'kind: LabelTransformer\n',
    'shared/less.yaml': object('less', 'data: {c: d}\n'),
  };
  expect(await shown(files)).toEqual({
    objects: ['prod/web.yaml:1 ConfigMap web', 'shared/less.yaml:1 ConfigMap less'],
    problems: ['not-an-object prod/other.yaml:1'],
    aside: [
      'kustomization prod',
      'other prod/how/labels.yaml',
      'other prod/more.yaml',
      'other prod/page.json',
    ],
  });
});

const everyField = (path: string) => [
  `configurations: [${path}]`,
  `transformers: [${path}]`,
  `generators: [${path}]`,
  `validators: [${path}]`,
  `openapi: {path: ${path}}`,
  `replacements: [{path: ${path}}]`,
  `configMapGenerator: [{name: x, files: [${path}]}]`,
  `configMapGenerator: [{name: x, files: [key=${path}]}]`,
  `secretGenerator: [{name: x, envs: [${path}]}]`,
  `helmCharts: [{name: x, valuesFile: ${path}}]`,
  `patches: [{path: ${path}}]`,
  `patchesJson6902: [{path: ${path}}]`,
  `patchesStrategicMerge: [${path}]`,
];

describe('a manifest is read whatever a kustomization says of it:', () => {
  const isPatch = (field: string) => field.startsWith('patches');
  test.each([
    ...everyField('.'),
    ...everyField('..'),
    ...everyField('../deploy'),
    ...everyField('../deploy/app/web.yaml').filter((field) => !isPatch(field)),
    ...everyField('../other'),
    ...everyField('../other/web.yaml'),
    ...everyField('app'),
    ...everyField('app/web.yaml').filter((field) => !isPatch(field)),
    ...everyField('app/web.yaml').map((field) => `${field}\nresources: [app/web.yaml]`),
    ...everyField('app/web.yaml').map((field) => `${field}\nresources: [./app/../app/web.yaml]`),
  ])('%s', async (fields) => {
    const { objects, aside } = await shown({
      'deploy/kustomization.yaml': `${fields}\n`,
      'deploy/app/web.yaml': object('web'),
      'other/web.yaml': object('api'),
    });
    expect(objects).toEqual([
      'deploy/app/web.yaml:1 ConfigMap web',
      'other/web.yaml:1 ConfigMap api',
    ]);
    expect(aside).toEqual(['kustomization deploy']);
  });

  test('a patch that the kustomization of the same folder applies', async () => {
    const { objects } = await shown({
      'kustomization.yaml': 'resources: [app]\npatches: [{path: app/web.yaml}]\n',
      'app/kustomization.yaml': 'resources: [web.yaml]\n',
      'app/web.yaml': object('web'),
    });
    expect(objects).toEqual(['app/web.yaml:1 ConfigMap web']);
  });

  test('but not a patch of a base that another kustomization names as a folder', async () => {
    const { objects, aside } = await shown({
      'prod/kustomization.yaml': 'resources: [../base]\n',
      'base/kustomization.yaml': 'resources: [web.yaml]\npatches: [{path: more.yaml}]\n',
      'base/web.yaml': object('web'),
      'base/more.yaml': object('web'),
    });
    expect(objects).toEqual(['base/web.yaml:1 ConfigMap web']);
    expect(aside).toContain('other base/more.yaml');
  });
});

test('an empty name in a kustomization names nothing', async () => {
  const files = {
    'kustomization.yaml': 'resources: [a.yaml]\nconfigMapGenerator: [{name: x, env: ""}]\n',
    'a.yaml': object('a'),
  };
  expect(await shown(files)).toMatchObject({ objects: ['a.yaml:1 ConfigMap a'], problems: [] });
});

test('mappings that name neither apiVersion nor kind, and files of programs, are no problem in a folder', async () => {
  const files = {
    'a.yaml': object('a'),
    'mkdocs.yml': 'site_name: shop\n',
    'kind.yaml': 'apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\n',
    'values.json': '[{"a": 1}, {"b": 2}]',
  };
  expect(await shown(files)).toMatchObject({
    problems: [],
    aside: ['other kind.yaml', 'other mkdocs.yml', 'other values.json'],
  });
});

test.each([
  ['invalid YAML', 'a: [1'],
  ['a missing kind', 'apiVersion: v1\nmetadata: {name: a}\n'],
  ['an object without an apiVersion', 'kind: Pod\nmetadata: {name: a}\n'],
  ['a missing name', 'apiVersion: apps/v1\nkind: Deployment\nspec: {}\n'],
  ['a word', 'hello\n'],
  ['an invalid Chart.yaml', 'name: [web'],
])('%s is always a problem', async (_, broken) => {
  const files = { 'a.yaml': object('a'), 'b/Chart.yaml': broken, 'b/c/kustomization.yaml': broken };
  const { problems, aside } = await shown(files);
  expect([problems.length, aside]).toEqual([2, []]);
});

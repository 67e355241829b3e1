import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { tempFolder } from '../../files/temp-folder.ts';
import { gcHere } from '../../support/run-here.ts';

const deployment = (name: string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}}
`;
const orphan = `apiVersion: v1
kind: ConfigMap
metadata:
  name: left
  ownerReferences: [{apiVersion: v1, kind: Event, name: e, uid: u}]
`;
const chart = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: web\n',
  'chart/templates/web.yaml': '{{ if .x }}\na: {{ b }}\n{{ end }}\n',
};

/** Everything on one line each: the table is as wide as it likes. */
const audit = (folder: string, more = '') => gcHere(`audit --from ${folder} ${more}`);

test('a repository with charts, kustomizations and other files is clean, and they are named in one line', async () => {
  const folder = tempFolder({
    ...chart,
    'base/kustomization.yaml': 'resources: [web.yaml]\n',
    'base/web.yaml': deployment('web'),
    'mkdocs.yml': 'site_name: shop\n',
  });
  const { code, stdout, stderr } = await audit(folder);
  expect({ code, stdout, stderr: stderr.replaceAll(`${folder}/`, '') }).toEqual({
    code: 0,
    stdout: '',
    stderr:
      'Not rendered, so not checked (--render): 1 chart (chart), 1 kustomization (base). Without objects: 1 file.\n' +
      'No problems found.\n',
  });
});

test('charts are rendered with helm, and what that says when it fails is a problem', async () => {
  const folder = tempFolder({ ...chart, 'bin/helm': '' });
  const helm = join(folder, 'bin', 'helm');
  const { PATH = '' } = process.env;
  const withHelm = async (script: string, more = '') => {
    writeFileSync(helm, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    chmodSync(helm, 0o755);
    vi.stubEnv('PATH', `${dirname(helm)}:${PATH}`);
    return audit(folder, `--render ${more}`);
  };
  const made = JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'left',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'e', uid: 'u' }],
    },
  });
  const making = `test "$1 $2 $3" = "template --skip-tests chart" && echo '${made}'`;
  const found = await withHelm(making);
  expect(found.stdout).toContain('event-owner');
  expect(found.stderr).not.toContain('Not rendered');
  // A review shows it at the file that the chart is made from.
  const review = await withHelm(making, '-o github');
  expect(review.stdout).toMatch(/file=[^,]*chart\/Chart\.yaml,line=1,/);
  const failed = await withHelm('printf "level=INFO\\nError: no such value\\n" >&2; exit 1');
  expect([failed.code, failed.stderr]).toEqual([
    3,
    expect.stringContaining('chart: helm template --skip-tests fails: Error: no such value\n'),
  ]);
});

test('a chart in a chart is rendered with that, and one in a folder of charts by itself', async () => {
  const inner = (folder: string) =>
    Object.fromEntries(
      Object.entries(chart).map(([path, text]) => [`${folder}/${path.slice(6)}`, text]),
    );
  const folder = tempFolder({
    ...inner('charts/web'),
    ...inner('charts/web/charts/cache'),
    'bin/helm': '',
  });
  const helm = join(folder, 'bin', 'helm');
  writeFileSync(helm, '#!/bin/sh\necho "Error: $3 asked" >&2; exit 1\n');
  chmodSync(helm, 0o755);
  vi.stubEnv('PATH', `${dirname(helm)}:${process.env.PATH}`);
  const { code, stderr } = await audit(folder, '--render');
  expect([code, stderr.match(/Error: .* asked/g)]).toEqual([3, ['Error: web asked']]);
});

test('what two kustomizations make is not applied together', async () => {
  const folder = tempFolder({
    'overlays/a/kustomization.yaml': 'namePrefix: a-\n',
    'overlays/b/kustomization.yaml': 'namePrefix: b-\n',
    'bin/kustomize': '',
  });
  const kustomize = join(folder, 'bin', 'kustomize');
  const text = deployment('$(basename $2)');
  writeFileSync(kustomize, `#!/bin/sh\ncat <<END\n${text}END\n`);
  chmodSync(kustomize, 0o755);
  vi.stubEnv('PATH', `${dirname(kustomize)}:${process.env.PATH}`);
  const { code, stdout } = await audit(folder, '--render');
  expect([code, stdout]).toEqual([0, '']);
});

test('a chart alone has nothing to check', async () => {
  expect(await audit(tempFolder(chart))).toMatchObject({ code: 0, stdout: '' });
});

test('workloads share a selector only where they are applied together', async () => {
  const apart = tempFolder({ 'blue/a.yaml': deployment('a'), 'green/b.yaml': deployment('b') });
  expect((await audit(apart)).stdout).toBe('');
  const variants = tempFolder({
    'a.yaml': deployment('a'),
    'b.yaml': deployment('a').replace('spec:', 'spec:\n  replicas: 2'),
  });
  expect((await audit(variants)).stdout).toBe('');
  const together = tempFolder({ 'a.yaml': deployment('a'), 'b.yaml': deployment('b') });
  expect((await audit(together, '-o name')).stdout).toBe('deployment.apps/a\ndeployment.apps/b\n');
});

test('a baseline holds what cannot be read, and no more than that', async () => {
  const folder = tempFolder({ 'a.yaml': deployment('a'), 'broken.yaml': 'a: [1\n' });
  const baseline = join(folder, 'known.txt');
  expect((await audit(folder)).code).toBe(3);
  const written = await audit(folder, `--baseline ${baseline} --update-baseline`);
  expect(written.stderr).toContain('Wrote 1 entry to');
  expect(JSON.parse(readFileSync(baseline, 'utf8')).findings).toEqual([
    `unreadable: ${folder}/broken.yaml`,
  ]);
  expect((await audit(folder, `--baseline ${baseline}`)).code).toBe(0);
  writeFileSync(join(folder, 'more.yaml'), 'b: [2\n');
  expect((await audit(folder, `--baseline ${baseline}`)).code).toBe(3);
  writeFileSync(join(folder, 'more.yaml'), '');
  writeFileSync(join(folder, 'broken.yaml'), '');
  const repaired = await audit(folder, `--baseline ${baseline}`);
  expect(repaired.stderr).toContain('1 entry of the baseline did not occur again');
});

test('what could not be read is listed in full, as it decides the exit code', async () => {
  const files = Array.from({ length: 12 }, (_, index) => [`${index}.yaml`, 'a: [1\n'] as const);
  const { stderr } = await audit(
    tempFolder({ 'a.yaml': deployment('a'), ...Object.fromEntries(files) }),
  );
  expect(stderr.match(/invalid YAML/g)).toHaveLength(12);
});

test('reviews get paths from the root of the repository', async () => {
  const folder = tempFolder({ 'deploy/shop/left.yaml': orphan });
  mkdirSync(join(folder, '.git'));
  const from = join(folder, 'deploy');
  const uriIn = (text: string) => /"uri": "([^"]+)"/.exec(text)?.[1];
  expect(uriIn((await audit(from, '-o sarif')).stdout)).toBe('deploy/shop/left.yaml');
  expect((await audit(from, '-o github')).stdout).toContain('file=deploy/shop/left.yaml,');
  expect((await audit(from, '-o gitlab')).stdout).toContain('"path": "deploy/shop/left.yaml"');
  expect(dirname(JSON.parse((await audit(from, '-o json')).stdout).items[0].place.path)).toBe(
    join(from, 'shop'),
  );
});

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
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

/** What needs no program beside stands in test/fixtures/transcripts/repositories.txt. */
const audit = (folder: string, more = '') => gcHere(`audit --from ${folder} ${more}`);

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

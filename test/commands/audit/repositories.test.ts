import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { tempFolder } from '../../files/temp-folder.ts';
import { gcHere } from '../../support/run-here.ts';

/** Named for the folder that kustomize is given. */
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: $(basename $2), namespace: shop}
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

/** Puts a program of that name first in PATH, which is this shell script. */
function program(folder: string, name: string, script: string): void {
  const path = join(folder, 'bin', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  vi.stubEnv('PATH', `${dirname(path)}:${process.env.PATH}`);
}

test('charts are rendered with helm, and what that says when it fails is a problem', async () => {
  const folder = tempFolder(chart);
  const withHelm = (script: string, more = '') => {
    program(folder, 'helm', script);
    return audit(folder, `--render ${more}`);
  };
  const making = `test "$1 $2 $3" = "template --skip-tests chart" && cat <<END\n${orphan}END`;
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
  const files = ['charts/web', 'charts/web/charts/cache'].flatMap((at) =>
    Object.entries(chart).map(([path, text]) => [path.replace('chart', at), text]),
  );
  const folder = tempFolder(Object.fromEntries(files));
  program(folder, 'helm', 'echo "Error: $3 asked" >&2; exit 1');
  const { code, stderr } = await audit(folder, '--render');
  expect([code, stderr.match(/Error: .* asked/g)]).toEqual([3, ['Error: web asked']]);
});

test('manifests of two kustomizations are not judged together', async () => {
  const folder = tempFolder({
    'overlays/a/kustomization.yaml': 'namePrefix: a-\n',
    'overlays/b/kustomization.yaml': 'namePrefix: b-\n',
  });
  program(folder, 'kustomize', `cat <<END\n${deployment}END`);
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

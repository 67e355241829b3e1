import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';

const example = '--from examples/clusters/shop.json.gz';
const headersOf = (text: string) => text.split('\n')[0]?.split(/ {2,}/) ?? [];

describe.each([
  `orphans -A ${example}`,
  `invalid-ownerrefs -A ${example}`,
  `forecast --within 7d ${example}`,
])('%s', (line) => {
  test('--no-headers leaves the headers out, and the rows as they are', async () => {
    const [all, without] = [await gcHere(line), await gcHere(`${line} --no-headers`)];
    const words = (text: string) => text.split('\n').map((row) => row.replace(/ +/g, ' '));
    expect(words(without.stdout)).toEqual(words(all.stdout).slice(1));
  });

  test('-L and --show-labels add columns before the last', async () => {
    const before = headersOf((await gcHere(line)).stdout);
    const { code, stdout } = await gcHere(`${line} -L app,app.kubernetes.io/name --show-labels`);
    expect(code).toBe(0);
    const added = [...before.slice(0, -1), 'APP', 'NAME', 'LABELS', ...before.slice(-1)];
    expect(headersOf(stdout)).toEqual(added);
  });

  test('--sort-by orders the table and the document', async () => {
    const { stdout } = await gcHere(`${line} --sort-by .object.name -o json`);
    const names = (JSON.parse(stdout) as { items: { object: { name: string } }[] }).items.map(
      ({ object }) => object.name,
    );
    expect(names).toEqual(names.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(names.length).toBeGreaterThan(1);
  });
});

test('labels are those of the object', async () => {
  const { stdout } = await gcHere(`orphans pods -n payments -L app --no-headers ${example}`);
  expect(stdout).toMatch(/^payments {3}Pod\/invoice-export-4xwxk .* invoice-export {3}/m);
});

test('templates are filled from a flag or a file', async () => {
  const template = '{range .items[*]}{.object.kind}/{.object.name}{"\\n"}{end}';
  const file = join(tmpdir(), `kubectl-gc-template-${process.pid}`);
  writeFileSync(file, template);
  const words = ['orphans', 'pods', '-n', 'payments', '--from', 'examples/clusters/shop.json.gz'];
  const filled = await gcHere([...words, '-o', `jsonpath=${template}`]);
  expect(filled).toEqual({
    code: 0,
    stdout: 'Pod/invoice-export-4xwxk\nPod/invoice-export-gvw5t\n',
    stderr: '',
  });
  expect(await gcHere([...words, '-o', `jsonpath-file=${file}`])).toEqual(filled);
  const columns = await gcHere([...words, '--no-headers', '-o', 'custom-columns=N:.object.name']);
  expect(columns.stdout).toBe('invoice-export-4xwxk\ninvoice-export-gvw5t\n');
});

test('an audit has the flags of lists', async () => {
  const line = `audit -n shop ${example}`;
  const sorted = await gcHere(`${line} --sort-by .object.name -o json`);
  const { items } = JSON.parse(sorted.stdout) as { items: { object: { name: string } }[] };
  const names = items.map(({ object }) => object.name);
  expect(names).toEqual(names.toSorted((a, b) => (a < b ? -1 : 1)));
  expect(names.length).toBeGreaterThan(1);
  const { stdout } = await gcHere(`${line} -L app --show-labels`);
  expect(headersOf(stdout).slice(-3)).toEqual(['APP', 'LABELS', 'REASON']);
  const without = await gcHere(`${line} --no-headers`);
  expect(without.stdout).toMatch(/^error +shop {3}ConfigMap\/cart-dashboards /);
});

test.each(['tree', 'owners'])('%s shows labels, without headers where asked', async (command) => {
  const line = `${command} replicaset/web-86864d7b59 -n shop ${example}`;
  const { stdout } = await gcHere(`${line} -L app --show-labels`);
  expect(headersOf(stdout).slice(-3)).toEqual(['APP', 'LABELS', 'REMARKS']);
  expect(stdout).toMatch(
    /ReplicaSet\/web-86864d7b59 .* web {3}app=web,pod-template-hash=86864d7b59/,
  );
  const without = await gcHere(`${line} --no-headers`);
  expect(without.stdout).toMatch(/^ReplicaSet\/web-86864d7b59 /);
});

test.each([
  ['tree deployment/web -n shop --sort-by .name', '--sort-by'],
  ['owners deployment/web -n shop --sort-by .name', '--sort-by'],
  ['backups --show-labels', '--show-labels'],
  ['backups -L app', '-L'],
])('%s is unknown there', async (line, flag) => {
  const { code, stdout, stderr } = await gcHere(line);
  expect({ code, stdout, first: stderr.split('\n')[0] }).toEqual({
    code: 2,
    stdout: '',
    first: `error: unknown flag: ${flag}`,
  });
});

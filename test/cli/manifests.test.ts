import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

function file(name: string, ...documents: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, documents.join('\n---\n'));
  return path;
}

const replicaSet = 'apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web-6c4f9d';
const here = file('here.yaml', `${replicaSet}, namespace: shop}`);
const anywhere = file('anywhere.yaml', `${replicaSet}}`);
const cluster = '--from test/fixtures/clusters/orphaned-replicaset.yaml';
const expected = {
  code: 0,
  stdout: 'replicaset.apps/web-6c4f9d\npod/web-6c4f9d-abcde\npod/web-6c4f9d-fghij\n',
  stderr: '',
};

describe('-f names the objects of manifests', () => {
  test.each([
    ['in the namespace that they say', `tree -o name -f ${here} ${cluster}`],
    ['in that of -n, if they say none', `tree -o name -f ${anywhere} -n shop ${cluster}`],
    ['in the same namespace as -n', `tree -o name -f ${here} -n shop ${cluster}`],
    ['in their own with -A', `tree -o name -f ${here} -n bank -A ${cluster}`],
    ['each once', `tree -o name -f ${here} -f ${anywhere} -n shop ${cluster}`],
  ])('%s', async (_, line) => {
    expect(await gcHere(line)).toEqual(expected);
  });

  test('in the default namespace, if nobody says', async () => {
    expect(await gcHere(`tree -o name -f ${anywhere} ${cluster}`)).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'error: replicasets.apps "web-6c4f9d" not found in namespace default\n  It is in namespace shop: use -n.\n',
    });
  });

  test('from stdin', async () => {
    const input = `${replicaSet}, namespace: shop}`;
    expect(await gc(`tree -o name -f - ${cluster}`, { input })).toEqual(expected);
    const owners = await gc(`owners -o name -f - ${cluster}`, { input });
    expect(owners).toEqual({ code: 0, stdout: 'replicaset.apps/web-6c4f9d\n', stderr: '' });
  });

  test('and refuses another namespace than -n, as kubectl does', async () => {
    for (const command of ['owners', 'tree']) {
      expect(await gcHere(`${command} -f ${here} -n bank ${cluster}`)).toEqual({
        code: 2,
        stdout: '',
        stderr: `error: the namespace from the provided object "shop" does not match the namespace "bank"
  You must pass '--namespace=shop' to perform this operation.
`,
      });
    }
  });

  test('and refuses a kind that is not served', async () => {
    const frob = file(
      'frob.yaml',
      '',
      'apiVersion: example.org/v1\nkind: Frob\nmetadata: {name: x}',
    );
    expect(await gcHere(`tree -f ${frob} ${cluster}`)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: no matches for kind "Frob" in version "example.org/v1" (${frob}:3)\n`,
    });
  });

  test('and warns of a document that cannot be read', async () => {
    const broken = file('broken.yaml', `${replicaSet}, namespace: shop}`, 'foo: [');
    expect(await gcHere(`tree -o name -f ${broken} ${cluster}`)).toEqual({
      ...expected,
      stderr: `Warning: ${broken}:5: invalid YAML: a missing quote, bracket, comma, colon or space\n`,
    });
  });
});

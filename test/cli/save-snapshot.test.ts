import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const example = '--from examples/clusters/shop.json.gz';

test('a snapshot is the same in a file, compressed, on stdout and when it is saved again', async () => {
  const plain = join(folder, 'plain.json');
  expect(await gcHere(`snapshot save ${plain} ${example}`)).toEqual({
    code: 0,
    stdout: '',
    stderr: `Saved 360 objects to ${plain}.\n`,
  });
  const text = readFileSync(plain, 'utf8');
  await gcHere(`snapshot save ${folder}/a.json.gz ${example}`);
  await gcHere(`snapshot save ${folder}/a.json.zst ${example}`);
  await gcHere(`snapshot save ${folder}/again.json --from ${plain}`);
  expect(gunzipSync(readFileSync(join(folder, 'a.json.gz'))).toString()).toBe(text);
  expect(zstdDecompressSync(readFileSync(join(folder, 'a.json.zst'))).toString()).toBe(text);
  expect((await gc(`snapshot save - ${example}`)).stdout).toBe(text);
  // Where it was read from differs, and so does the checksum.
  const paths = /"origin":\{"kind":"files","paths":\[[^\]]*\]\}|"crc32":"[^"]*"/g;
  const again = readFileSync(join(folder, 'again.json'), 'utf8');
  expect(again.replace(paths, '')).toBe(text.replace(paths, ''));
  expect(readdirSync(folder).sort()).toEqual([
    'a.json.gz',
    'a.json.zst',
    'again.json',
    'plain.json',
  ]);
});

test('a file is for its owner alone, replaces what was there, and a link is kept', async () => {
  const target = join(folder, 'target.json');
  const link = join(folder, 'link.json');
  symlinkSync(target, link);
  for (const line of [`snapshot save ${target} ${example}`, `snapshot save ${link} ${example}`]) {
    expect((await gcHere(line)).code).toBe(0);
  }
  expect(statSync(target).mode & 0o777).toBe(0o600);
  expect(readFileSync(link, 'utf8')).toBe(readFileSync(target, 'utf8'));
  expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
});

test('-n saves one namespace and what is in none, and answers for no other', async () => {
  const saved = join(folder, 'payments.json');
  expect((await gcHere(`snapshot save ${saved} -n payments ${example}`)).code).toBe(0);
  const { objects } = JSON.parse(readFileSync(saved, 'utf8')) as {
    objects: { metadata: { namespace?: string } }[];
  };
  const namespaces = objects.map(({ metadata }) => metadata.namespace);
  expect(new Set(namespaces)).toEqual(new Set(['payments', undefined]));
  const question = 'tree database/orders -n payments -o name';
  expect(await gcHere(`${question} --from ${saved}`)).toEqual(
    await gcHere(`${question} ${example}`),
  );
  // The secret's true owner is in another namespace, and that was not read.
  const wrong = 'invalid-ownerrefs secrets -n payments -o json';
  const { items } = JSON.parse((await gcHere(`${wrong} --from ${saved}`)).stdout);
  expect(items.map((item: { class: string }) => item.class)).toEqual(['missing-owner']);
  expect((await gcHere(`snapshot save ${saved} -n payments -A ${example}`)).stderr).toBe(
    `Saved 360 objects to ${saved}.\n`,
  );
});

test('a file that contains something else is not overwritten without --force', async () => {
  const manifest = join(folder, 'manifest.yaml');
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n';
  for (const name of [manifest, `${manifest}.gz`]) {
    writeFileSync(name, name.endsWith('.gz') ? gzipSync(text) : text);
    const before = readFileSync(name);
    expect(await gcHere(`snapshot save ${name} --from ${name}`)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        `^error: ${name} already exists .*\n  Nothing was saved\\. .*--force\\.\n$`,
      ),
    });
    expect(readFileSync(name)).toEqual(before);
  }
  expect((await gcHere(`snapshot save ${manifest} --force --from ${manifest}`)).code).toBe(0);
  expect(JSON.parse(readFileSync(manifest, 'utf8'))).toMatchObject({ kind: 'Snapshot' });
});

test('nothing is written through a link that lies beside the file', async () => {
  const victim = join(folder, 'victim');
  writeFileSync(victim, 'untouched');
  symlinkSync(victim, join(folder, 'beside.json.partial'));
  expect((await gcHere(`snapshot save ${folder}/beside.json ${example}`)).code).toBe(0);
  expect(readFileSync(victim, 'utf8')).toBe('untouched');
  expect(statSync(join(folder, 'beside.json')).isFile()).toBe(true);
});

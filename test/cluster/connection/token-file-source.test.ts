import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tokenFileSource } from '../../../src/cluster/connection/credential-source.ts';
import { emptyUser } from '../../../src/cluster/connection/kubeconfig.ts';

let directory: string;
let tokenFile: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubectl-gc-token-'));
  tokenFile = join(directory, 'token');
});
afterEach(() => rmSync(directory, { recursive: true }));

test('reads the token again after a while, and keeps the last one while the file does not exist', async () => {
  let now = 0;
  writeFileSync(tokenFile, 'one\n');
  const source = tokenFileSource({ ...emptyUser, tokenFile }, () => now);
  const tokens: string[] = [];
  const look = async (at: number) => {
    now = at;
    tokens.push((await source.current()).token);
  };
  await look(0);
  writeFileSync(tokenFile, 'two');
  await look(49_000);
  await look(50_000);
  rmSync(tokenFile);
  await look(200_000);
  writeFileSync(tokenFile, 'three');
  await look(201_000);
  await look(250_000);
  expect(tokens).toEqual(['one', 'one', 'two', 'two', 'two', 'three']);
});

test('yields the same object while the token stays the same', async () => {
  let now = 0;
  writeFileSync(tokenFile, 'one');
  const source = tokenFileSource({ ...emptyUser, tokenFile }, () => now);
  const first = await source.current();
  now = 60_000;
  expect(await source.current()).toBe(first);
});

import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeAuthProviderConfig } from '../../../src/cluster/connection/oidc.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubectl-gc-write-'));
  file = join(directory, 'config');
});
afterEach(() => rmSync(directory, { recursive: true }));

const before = `apiVersion: v1
# two people share this file
users:
- name: other
  user:
    token: keep
- name: ann
  user:
    auth-provider:
      name: oidc
      config:
        client-id: gc # registered by hand
        id-token: old
clusters: []
`;

describe('writeAuthProviderConfig', () => {
  test('changes the tokens and nothing else, through links', async () => {
    writeFileSync(join(directory, 'real'), before, { mode: 0o600 });
    symlinkSync('real', file);
    await writeAuthProviderConfig(file, 'ann', {
      'client-id': 'gc',
      'id-token': 'new',
      'refresh-token': 'added',
    });
    expect({
      text: readFileSync(file, 'utf8'),
      mode: statSync(file).mode & 0o777,
      files: readdirSync(directory),
    }).toEqual({
      text: before.replace('id-token: old', 'id-token: new\n        refresh-token: added'),
      mode: 0o600,
      files: ['config', 'real'],
    });
  });

  test('does not wait for the holder of the lock', async () => {
    writeFileSync(file, before);
    writeFileSync(`${file}.lock`, '');
    await expect(writeAuthProviderConfig(file, 'ann', { 'id-token': 'new' })).rejects.toMatchObject(
      {
        code: 'EEXIST',
      },
    );
    expect([readFileSync(file, 'utf8'), readdirSync(directory)]).toEqual([
      before,
      ['config', 'config.lock'],
    ]);
  });

  test('adds no user that is not there', async () => {
    writeFileSync(file, before);
    await expect(writeAuthProviderConfig(file, 'bob', {})).rejects.toThrow(
      `user "bob" is not in ${file}`,
    );
    expect([readFileSync(file, 'utf8'), readdirSync(directory)]).toEqual([before, ['config']]);
  });
});

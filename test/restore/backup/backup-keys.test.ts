import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterEach, expect, test, vi } from 'vitest';
import {
  backupDecrypter,
  backupEncrypter,
  keyArguments,
} from '../../../src/restore/backup/encryption.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
afterEach(() => vi.unstubAllEnvs());

const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const identities = fileOf(
  'identity.txt',
  `# created: today\r\n# public key: ${recipient}\r\n\r\n${identity}\r\n`,
);
const recipients = fileOf('recipients.txt', `# the team\n\n  ${recipient}  \n`);

test('the environment names what the flags do not', async () => {
  expect(await backupEncrypter(undefined)).toBeUndefined();
  expect(await backupDecrypter(undefined)).toBeUndefined();
  vi.stubEnv('KUBECTL_GC_BACKUP_RECIPIENTS', recipients);
  vi.stubEnv('KUBECTL_GC_BACKUP_IDENTITY', identities);
  const [encrypt, decrypt] = [await backupEncrypter(undefined), await backupDecrypter(undefined)];
  expect(String(await decrypt?.((await encrypt?.('secret')) ?? Buffer.of()))).toBe('secret');
  expect(keyArguments(encrypt)).toEqual([]);
});

test('restore needs a key where the environment names none', async () => {
  const encrypt = await backupEncrypter([recipient]);
  expect([keyArguments(undefined), keyArguments(encrypt)]).toEqual([
    [],
    ['--identity', 'KEY_FILE'],
  ]);
});

test('a flag stands in the place of its variable', async () => {
  vi.stubEnv('KUBECTL_GC_BACKUP_RECIPIENTS', join(folder, 'nowhere'));
  vi.stubEnv('KUBECTL_GC_BACKUP_IDENTITY', join(folder, 'nowhere'));
  const encrypt = await backupEncrypter([recipient]);
  const decrypt = await backupDecrypter(identities);
  expect(String(await decrypt?.((await encrypt?.('secret')) ?? Buffer.of()))).toBe('secret');
});

const wrong = { exitCode: 2 };

test.each([
  ['nowhere', undefined, 'it does not exist', { code: 'unreadable-input', exitCode: 3 }],
  ['empty', '# nothing\n', 'there is no recipient in it', wrong],
  ['armoured', '-----BEGIN AGE ENCRYPTED FILE-----\n', 'it is encrypted itself', wrong],
])('a recipients file without recipients is an error: %s', async (name, text, fault, kind) => {
  const path = text === undefined ? join(folder, name) : fileOf(name, text);
  vi.stubEnv('KUBECTL_GC_BACKUP_RECIPIENTS', path);
  await expect(backupEncrypter(undefined)).rejects.toMatchObject({
    ...kind,
    message: `$KUBECTL_GC_BACKUP_RECIPIENTS names ${path}: ${fault}`,
  });
});

test('a line that is no identity is named by its number, never by its content', async () => {
  const path = fileOf('broken.txt', `# mine\n${identity.slice(0, -1)}\n`);
  await expect(backupDecrypter(path)).rejects.toMatchObject({
    exitCode: 2,
    message: `invalid age identity (${path}, line 2): it is not valid`,
  });
  await expect(backupDecrypter('')).rejects.toMatchObject({
    message: '--identity names no file: it does not exist',
  });
});

import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  generateHybridIdentity,
  generateX25519Identity,
  identityToRecipient,
} from 'age-encryption';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Decrypt,
  decrypterFor,
  type Encrypt,
  encrypterFor,
} from '../../../src/restore/backup/encryption.ts';
import { listBackups } from '../../../src/restore/backup/list-backups.ts';
import { readBackup } from '../../../src/restore/backup/read-backup.ts';
import { writeBackup } from '../../../src/restore/backup/write-backup.ts';
import { fakeClient } from '../../cluster/fake-client.ts';
import { validDocument } from '../../contract/valid-document.ts';
import { servedTypes } from '../../support/builders.ts';
import { kube, ownedBy } from '../saved.ts';
import { planned, planToSave } from './plan-to-save.ts';

const password = 'aHVudGVyMg==';
const secret = kube(
  'v1 Secret key',
  { ...ownedBy('v1 ConfigMap app'), managedFields: [{ manager: 'pipeline-of-shop' }] },
  { data: { password } },
);
const objects = [kube('v1 ConfigMap app', {}, { data: { motto: 'plain-motto' } }), secret];
const plan = planToSave(planned('ConfigMap', 'app'), planned('Secret', 'key'));

let folder: string;
let directory: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'encrypted-backup-'));
  directory = join(folder, 'backup');
});
afterEach(() => rm(folder, { recursive: true }));

function write(encrypt: Encrypt | undefined) {
  const core = '/api/v1/namespaces/shop';
  const client = fakeClient({
    [`${core}/configmaps/app`]: { body: objects[0] ?? {} },
    [`${core}/secrets/key`]: { body: secret },
  });
  return writeBackup(plan, client, servedTypes, { directory, encrypt });
}

const keyLine = (text: string) => ({ text, place: 'test' });

async function writtenFor(...identities: string[]): Promise<void> {
  const recipients = await Promise.all(identities.map(identityToRecipient));
  const { problems } = await write(await encrypterFor(recipients.map(keyLine)));
  expect(problems).toEqual([]);
}

const key = (...identities: string[]) => decrypterFor(identities.map(keyLine));
const read = (decrypt: Decrypt | undefined, acceptEdited = false) =>
  readBackup(directory, { acceptEdited, decrypter: async () => decrypt });

async function contents(): Promise<Map<string, Buffer>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const read = paths.sort().map(async (path): Promise<[string, Buffer]> => {
    return [path.slice(directory.length + 1), await readFile(path)];
  });
  return new Map(await Promise.all(read));
}

const saved = join('objects', 'shop', 'secrets', 'key.yaml.age');

test('what was written for several recipients is read with the identity of any, old or new', async () => {
  const identities = [await generateX25519Identity(), await generateHybridIdentity()];
  await writtenFor(...identities);
  for (const identity of identities) {
    const { saved, problems } = await read(await key(identity));
    expect(problems).toEqual([]);
    expect(saved.map(({ manifest, fault }) => fault ?? manifest)).toEqual([
      { ...objects[0], metadata: { name: 'app', namespace: 'shop', uid: 'uid-app' } },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'key',
          namespace: 'shop',
          uid: 'uid-key',
          ownerReferences: [expect.objectContaining({ name: 'app', uid: 'uid-app' })],
        },
        data: { password },
      },
    ]);
    expect(saved.map(({ fieldManagers }) => fieldManagers)).toEqual([
      undefined,
      [{ manager: 'pipeline-of-shop' }],
    ]);
  }
});

test('no data of an object is in the folder in plain text, and the index says that it is encrypted', async () => {
  await writtenFor(await generateX25519Identity());
  const files = await contents();
  expect([...files.keys()]).toEqual([
    'backup.json',
    'objects/shop/configmaps/app.yaml.age',
    'objects/shop/secrets/key.managers.json.age',
    'objects/shop/secrets/key.yaml.age',
  ]);
  for (const [name, content] of files) {
    for (const word of [password, 'hunter2', 'plain-motto', 'pipeline-of-shop']) {
      expect([name, word, content.includes(word)]).toEqual([name, word, false]);
    }
  }
  const index = validDocument('backup', String(files.get('backup.json')));
  expect([index.format, index.encrypted]).toEqual([2, true]);
});

test('a backup without recipients is what it was, and needs no key', async () => {
  await write(undefined);
  const files = await contents();
  const index = JSON.parse(String(files.get('backup.json')));
  expect([index.format, 'encrypted' in index]).toEqual([1, false]);
  expect(String(files.get('objects/shop/secrets/key.yaml'))).toContain(`password: ${password}`);
  const { saved } = await readBackup(directory, {
    acceptEdited: false,
    decrypter: () => Promise.reject(new Error('no key')),
  });
  expect(saved.map(({ fault }) => fault)).toEqual([undefined, undefined]);
});

test('without a key, or with another one, the backup is not read', async () => {
  await writtenFor(await generateX25519Identity());
  const refusals = [read(undefined), read(await key(await generateX25519Identity()))];
  const errors = await Promise.all(refusals.map((reading) => reading.catch((error) => error)));
  expect(errors.map(({ code, exitCode }) => [code, exitCode])).toEqual([
    ['encrypted-backup', 3],
    ['wrong-key', 3],
  ]);
  const words = errors.flatMap(({ message, suggestions }) => [message, ...suggestions]);
  expect(words.join('\n').replaceAll(directory, 'BACKUP')).toMatchInlineSnapshot(`
    "the backup in BACKUP is encrypted, and no key is given: only its index can be read
    It was written for recipients of age (--backup-recipient, $KUBECTL_GC_BACKUP_RECIPIENTS).
    Name the file with the identity of one of them: --identity FILE, or $KUBECTL_GC_BACKUP_IDENTITY.
    the backup in BACKUP cannot be decrypted with this key: no identity matched any of the file's recipients
    Name the file with the identity of a recipient that it was written for: --identity FILE."
  `);
});

test('a changed file is reported without hiding the rest', async () => {
  const identity = await generateX25519Identity();
  await writtenFor(identity);
  const decrypt = await key(identity);
  const faults = async (acceptEdited: boolean) =>
    (await read(decrypt, acceptEdited)).saved.map(({ fault }) => fault);
  const path = join(directory, saved);
  const content = await readFile(path);
  await appendFile(path, 'more');
  const told = [...(await faults(false)), ...(await faults(true))];
  expect(told.map((fault) => fault !== undefined)).toEqual([false, true, false, true]);
  expect(told.join('\n').replaceAll(path, 'FILE')).toMatchInlineSnapshot(`
    "
    FILE has changed since it was written; --accept-edited accepts it

    FILE was changed and cannot be decrypted: invalid tag"
  `);
  // As `age` itself would write it again.
  const again = await encrypterFor([keyLine(await identityToRecipient(identity))]);
  await writeFile(path, await again(String(await decrypt(content)).replace(password, 'eA==')));
  expect(await faults(true)).toEqual([undefined, undefined]);
  expect((await read(decrypt, true)).saved[1]?.manifest?.data).toEqual({ password: 'eA==' });
});

test('it is listed without a key', async () => {
  await writtenFor(await generateX25519Identity());
  const [found] = await listBackups(folder);
  expect([found?.state, found?.encrypted, found?.entries.length]).toEqual(['whole', true, 2]);
});

test('what is no recipient is refused, and not repeated', async () => {
  const texts = [
    'age1zzz',
    'AGE-SECRET-KEY-1ABC',
    'age1tag1qwe0kafs',
    'ssh-ed25519 AAAA',
    'someone',
  ];
  const messages: string[] = [];
  for (const text of texts) {
    const recipient = { text, place: 'keys.txt, line 3' };
    const error = await encrypterFor([recipient]).catch((thrown) => thrown);
    expect(error).toMatchObject({ exitCode: 2, suggestions: ['Nothing was sent.'] });
    expect(error.message).not.toContain(text);
    messages.push(error.message);
  }
  expect(messages.join('\n')).toMatchInlineSnapshot(`
    "invalid recipient for the backup (keys.txt, line 3): it is not valid
    invalid recipient for the backup (keys.txt, line 3): it is a secret key; a recipient is the public key that \`age-keygen -y\` prints
    invalid recipient for the backup (keys.txt, line 3): restore cannot decrypt with a key in a device
    invalid recipient for the backup (keys.txt, line 3): keys of SSH are not supported
    invalid recipient for the backup (keys.txt, line 3): a recipient begins with age1"
  `);
});

test('what is no identity is not repeated', async () => {
  const text = 'AGE-SECRET-KEY-1ABC';
  const error = await decrypterFor([{ text, place: 'keys.txt, line 3' }]).catch((thrown) => thrown);
  expect(error).toMatchObject({
    exitCode: 2,
    message: 'invalid age identity (keys.txt, line 3): it is not valid',
    suggestions: ['An identity begins with AGE-SECRET-KEY-1, as `age-keygen` writes it.'],
  });
});

import { GcError, usageError } from '../../errors.ts';
import { readWhole, reasonUnreadable } from '../../files/input-bytes.ts';

/** The content of a file of a backup, encrypted. */
export type Encrypt = (text: string) => Promise<Buffer>;

/** Throws where the content is damaged, or encrypted to other recipients. */
export type Decrypt = (content: Buffer) => Promise<Buffer>;

/** A recipient or an identity of age, and where it was given. */
interface KeyLine {
  readonly text: string;
  /** For messages: `keys.txt, line 3`. They never hold the key itself. */
  readonly place: string;
}

/** A file with a recipient of age a line, for backups without `--backup-recipient`. */
const recipientsVariable = 'KUBECTL_GC_BACKUP_RECIPIENTS';
/** A file with identities of age, for `restore` without `--identity`. */
const identityVariable = 'KUBECTL_GC_BACKUP_IDENTITY';

/** How backups are encrypted; undefined where neither the flag nor the environment names a recipient. */
export async function backupEncrypter(
  recipients: readonly string[] | undefined,
): Promise<Encrypt | undefined> {
  const path = process.env[recipientsVariable];
  const place = '--backup-recipient';
  const lines = recipients
    ? recipients.map((text) => ({ text: text.trim(), place }))
    : path
      ? await keyLines(path, `$${recipientsVariable}`, 'recipient')
      : undefined;
  return lines && encrypterFor(lines);
}

/** How an encrypted backup is read; undefined where neither the flag nor the environment names a file. */
export async function backupDecrypter(identity: string | undefined): Promise<Decrypt | undefined> {
  const path = identity ?? process.env[identityVariable];
  if (identity === undefined && !path) return undefined;
  const named = identity === undefined ? `$${identityVariable}` : '--identity';
  return decrypterFor(await keyLines(path ?? '', named, 'identity'));
}

/** What `restore` needs on its command line for a backup that was written with `encrypt`. */
export function keyArguments(encrypt: Encrypt | undefined): string[] {
  return encrypt && !process.env[identityVariable] ? ['--identity', 'KEY_FILE'] : [];
}

/** The lines of a key file, without comments and empty ones, as age reads them. */
async function keyLines(
  path: string,
  named: string,
  what: 'recipient' | 'identity',
): Promise<KeyLine[]> {
  const wrong = (fault: string, ...suggestions: string[]) =>
    usageError(`${named} names ${path || 'no file'}: ${fault}`, suggestions);
  let content: string;
  try {
    content = (await readWhole(path)).toString('utf8');
  } catch (error) {
    const reason = reasonUnreadable(error);
    if (reason === undefined) throw error;
    throw new GcError(`${named} names ${path || 'no file'}: ${reason}`, {
      code: 'unreadable-input',
      suggestions: ['Name a file with a key of age.'],
      cause: error,
    });
  }
  if (/^(age-encryption\.org\/|-----BEGIN AGE ENCRYPTED FILE-----)/.test(content)) {
    throw wrong(
      'it is encrypted itself',
      'Decrypt it first: `age -d FILE` prints it, and --identity also reads a pipe.',
    );
  }
  const lines = content
    .split('\n')
    .map((line, index) => ({ text: line.trim(), place: `${path}, line ${index + 1}` }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
  if (lines.length === 0) throw wrong(`there is no ${what} in it`);
  return lines;
}

/**
 * Encrypts to all of these; throws a usage error for one that is no recipient.
 * @internal
 */
export async function encrypterFor(recipients: readonly KeyLine[]): Promise<Encrypt> {
  // Few users need it, and it is slow to load.
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  for (const { text, place } of recipients) {
    const fault = recipientFault(text);
    if (fault !== undefined) throw wrongRecipient(place, fault);
    try {
      encrypter.addRecipient(text);
      // A key that is well-formed and unusable shows only here.
      await encrypter.encrypt('');
    } catch {
      throw wrongRecipient(place, 'it is not valid');
    }
  }
  return async (text) => Buffer.from(await encrypter.encrypt(text));
}

/** The fault that the form of a recipient shows; age's own check follows. */
function recipientFault(text: string): string | undefined {
  if (/^age-secret-key-/i.test(text)) {
    return 'it is a secret key; a recipient is the public key that `age-keygen -y` prints';
  }
  // Only a plugin of age with the device decrypts it.
  if (/^age1tag(pq)?1/.test(text)) return 'restore cannot decrypt with a key in a device';
  if (text.startsWith('ssh-')) return 'keys of SSH are not supported';
  return text.startsWith('age1') ? undefined : 'a recipient begins with age1';
}

function wrongRecipient(place: string, fault: string) {
  return usageError(`invalid recipient for the backup (${place}): ${fault}`, ['Nothing was sent.']);
}

/**
 * Decrypts with whichever of these fits; throws a usage error for one that is no identity.
 * @internal
 */
export async function decrypterFor(identities: readonly KeyLine[]): Promise<Decrypt> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  for (const { text, place } of identities) {
    try {
      decrypter.addIdentity(text);
    } catch {
      throw usageError(`invalid age identity (${place}): it is not valid`, [
        'An identity begins with AGE-SECRET-KEY-1, as `age-keygen` writes it.',
      ]);
    }
  }
  return async (content) => Buffer.from(await decrypter.decrypt(content));
}

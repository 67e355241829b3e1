import { GcError, usageError } from '../../errors.ts';
import { readWhole, reasonUnreadable } from '../../files/file-bytes.ts';
import type { Decrypt, Encrypt, KeyLine } from './encryption.ts';

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
  if (!lines) return undefined;
  const { encrypterFor } = await import('./encryption.ts');
  return encrypterFor(lines);
}

/** How an encrypted backup is read; undefined where neither the flag nor the environment names a file. */
export async function backupDecrypter(identity: string | undefined): Promise<Decrypt | undefined> {
  const path = identity ?? process.env[identityVariable];
  if (identity === undefined && !path) return undefined;
  const named = identity === undefined ? `$${identityVariable}` : '--identity';
  const lines = await keyLines(path ?? '', named, 'identity');
  const { decrypterFor } = await import('./encryption.ts');
  return decrypterFor(lines);
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

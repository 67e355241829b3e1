import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { usageError } from '../../../errors.ts';
import { readWhole } from '../../../files/file-bytes.ts';
import { writeWhole } from '../../../files/write-whole.ts';
import { writeErr } from '../../../shell/terminal/streams.ts';
import type { Snapshot } from '../../../snapshot/snapshot.ts';

interface RedactFlags {
  readonly redact: boolean;
  readonly 'redact-key': string | undefined;
}

type Redact = (snapshot: Snapshot) => Snapshot;

const keyBytes = 32;

/**
 * What `--redact` and `--redact-key` do to each snapshot of this run; without them, nothing. Without a
 * file, the key is made for this run and forgotten with it.
 */
export async function redactionOf(flags: RedactFlags): Promise<Redact> {
  const path = flags['redact-key'];
  if (!flags.redact && path === undefined) return (snapshot) => snapshot;
  const key = path === undefined ? randomBytes(keyBytes) : await keyIn(path);
  // It knows the words of every rule of audit.
  const { redactSnapshot } = await import('./redact-snapshot.ts');
  return (snapshot) => redactSnapshot(snapshot, key);
}

/** The key in a file, which is made where there is none. */
async function keyIn(path: string): Promise<Buffer> {
  if (!existsSync(path)) {
    await writeWhole(path, `${randomBytes(keyBytes).toString('hex')}\n`, {
      what: 'the key',
      mode: 0o600,
      suggestions: ['Nothing was saved. Name a file in a folder you may write to.'],
    });
    writeErr(`Made the key ${path}. Keep it: who has it can try names until the pseudonyms fit.`);
  }
  const key = await readWhole(path);
  if (key.length >= keyBytes) return key;
  throw usageError(
    `the key ${path} has ${key.length} bytes; a key of fewer than ${keyBytes} can be found by trying`,
    ['Name a file that does not exist: a key is made there.'],
  );
}

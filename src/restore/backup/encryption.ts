import { usageError } from '../../errors.ts';

/** The content of a file of a backup, encrypted. */
export type Encrypt = (text: string) => Promise<Buffer>;

/** Throws where the content is damaged, or encrypted to other recipients. */
export type Decrypt = (content: Buffer) => Promise<Buffer>;

/** A recipient or an identity of age, and where it was given. */
export interface KeyLine {
  readonly text: string;
  /** For messages: `keys.txt, line 3`. They never hold the key itself. */
  readonly place: string;
}

/** Encrypts to all of these; throws a usage error for one that is no recipient. */
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

/** What the form of a recipient tells; age's own check follows. */
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

/** Decrypts with whichever of these fits; throws a usage error for one that is no identity. */
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

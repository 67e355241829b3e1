import { isAscii } from 'node:buffer';

/** Characters that YAML allows, and that mean nothing but themselves; a tab does so within a block of text. */
const printable = /^[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/;

/**
 * Text that is ASCII, as it is; all other in right UTF-8, what is none replaced. Undefined where a character beyond ASCII may
 * mean something to YAML.
 */
export function printableText(text: Buffer): Buffer | undefined {
  if (isAscii(text)) return text;
  const characters = text.toString('utf8');
  return printable.test(characters) ? Buffer.from(characters) : undefined;
}

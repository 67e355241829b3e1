import { Document, Scalar, stringify, visit } from 'yaml';
import { unicodeEscape } from '../syntax/json-text.ts';

const options = { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false } as const;
/** Line breaks in double quotes are escaped, however long the string is. */
const onOneLine = { ...options, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER };

/**
 * Characters that YAML 1.1 or 1.2 allows in no text (c-printable), that break lines in 1.1, or that
 * cannot be seen; and lines that a job's log would take for commands.
 */
const unwritable =
  /[\u007f-\u009f\ufffe\uffff\p{Cf}\p{DI}\p{Zl}\p{Zp}\p{Cs}]|(?:^|\n)[^\S\n]*(?:::|##\[|##vso\[)/u;
const everyUnwritable = /[\u007f-\u009f\ufffe\uffff\p{Cf}\p{DI}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Written so that readers of YAML 1.1, kubectl among them, and of 1.2 see `on`, `0x1` and `0o17` as
 * the strings they are, and every character: what may not be written as it is, is escaped, which only
 * double quotes allow.
 */
export function renderYaml(value: unknown): string {
  const text = stringify(value, options);
  if (!unwritable.test(text)) return text;
  const document = new Document(value, options);
  visit(document, {
    Scalar: (_, scalar) => {
      const { value: written } = scalar;
      if (typeof written === 'string' && unwritable.test(written))
        scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString(onOneLine).replace(everyUnwritable, escaped);
}

/** YAML has its own escape for a character above U+FFFF. */
function escaped(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : unicodeEscape(char);
}

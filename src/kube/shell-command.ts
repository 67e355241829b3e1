import type { ObjectRecord } from './object-record.ts';
import { parseApiVersion, printedKindOf } from './resource-type.ts';

/**
 * A command that a user may paste into a shell. Every interpolation is quoted: a string becomes one
 * word, a list one word for each entry. Names come from clusters and files, so that nothing in them
 * may act.
 */
export function shellCommand(
  texts: TemplateStringsArray,
  ...words: readonly (string | readonly string[])[]
): string {
  return texts.reduce((command, text, index) => {
    const given = words[index - 1] ?? [];
    const quoted = [given].flat().map(shellWord).join(' ');
    // An empty list leaves no gap.
    return quoted === '' ? command.trimEnd() + text : command + quoted + text;
  });
}

/** One word for a POSIX shell, bash or zsh, also where history expansion is on. */
export function shellWord(word: string): string {
  if (/^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:=@%+,-]*$/.test(word)) return word;
  if (!/\p{Cc}/u.test(word)) return singleQuoted(word);
  // A control character may move the cursor or end a paste, so printf has to make it. The shell
  // drops newlines at the end of what a command prints: these alone stand as they are.
  const end = /\n*$/.exec(word)?.[0] ?? '';
  const start = word.slice(0, word.length - end.length);
  const made = start === '' ? '' : `"$(printf %b '${octal(start)}')"`;
  return made + (end === '' ? '' : singleQuoted(end));
}

/** An object by its coordinates, as documents and records have them. */
type Addressed =
  | Pick<ObjectRecord, 'type' | 'namespace' | 'name'>
  | {
      readonly apiVersion: string;
      readonly kind: string;
      readonly namespace: string;
      readonly name: string;
    };

/** `role.rbac.authorization.k8s.io/reader -n shop`: how a command names an object. */
export function addressOf(object: Addressed): string[] {
  const { group, kind } =
    'type' in object
      ? object.type
      : { group: parseApiVersion(object.apiVersion)?.group ?? '', kind: object.kind };
  return [`${printedKindOf({ group, kind })}/${object.name}`, ...inNamespace(object)];
}

/** `-n shop`; nothing for cluster-scoped objects. */
export function inNamespace({ namespace }: { readonly namespace: string }): string[] {
  return namespace === '' ? [] : ['-n', namespace];
}

/** Arguments, with `--` before them where the first would be taken for a flag. */
export function operands(...words: readonly string[]): string[] {
  return words[0]?.startsWith('-') ? ['--', ...words] : [...words];
}

function singleQuoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** For printf's %b: everything but letters and digits as octal bytes. */
function octal(text: string): string {
  return [...new TextEncoder().encode(text)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9]/.test(char) ? char : `\\0${byte.toString(8).padStart(3, '0')}`;
    })
    .join('');
}

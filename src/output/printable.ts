/**
 * Text from a cluster or a file as it may stand in one line of a terminal: control characters are
 * spelt out (`^[` for escape, as kubectl does), so that no name can colour, move or break anything.
 */
export function printable(text: string): string {
  return control.test(text) ? text.replace(everyControl, spelt) : text;
}

const control = /\p{Cc}/u;
const everyControl = /\p{Cc}/gu;

function spelt(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return code < 0x20 ? `^${String.fromCharCode(code + 0x40)}` : ' ';
}

/** `kind.group/name`, as kubectl prints names. */
export function printedName(object: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}): string {
  const slash = object.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : `.${object.apiVersion.slice(0, slash)}`;
  return printable(`${object.kind.toLowerCase()}${group}/${object.name}`);
}

/** Text as it may stand in XML or HTML, inside a quoted attribute too. Characters that XML cannot hold are left out. */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(unspeakable, '')
    .replaceAll(/[&<>"']/g, (char) => entities[char] ?? char);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML 1.0 forbids.
const unspeakable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

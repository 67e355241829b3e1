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

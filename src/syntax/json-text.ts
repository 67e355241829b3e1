/** Most documents hold nothing else, and to see that takes a third of the time that a search takes. */
const asciiOnly = /^[\0-\x7e]*$/;

/** JSON whose strings show nothing that a terminal acts on and hide nothing: the same document, with more of it escaped. */
export function jsonText(document: unknown, indent?: number): string {
  const text = JSON.stringify(document, undefined, indent);
  if (asciiOnly.test(text)) return text;
  return text.replace(
    /[\u007f-\u009f\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu,
    unicodeEscape,
  );
}

/** `\u202e`, or as JSON has it for a character above U+FFFF: `\udb40\udc01`. */
export function unicodeEscape(char: string): string {
  const units = char.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return units.map((unit) => `\\u${unit}`).join('');
}

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

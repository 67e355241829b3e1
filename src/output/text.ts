/** A text in parts, each made when it is asked for: one of a million rows never stands in memory whole. */
export type Text = Iterable<string> & object;

export function partsOf(text: string | Text): Text {
  return typeof text === 'string' ? [text] : text;
}

export function wholeText(text: string | Text): string {
  return [...partsOf(text)].join('');
}

/** Tables with an empty line between them; those without rows have no text. */
export function* stacked(texts: readonly (string | Text)[]): Generator<string> {
  let isFirst = true;
  for (const text of texts) {
    let hasBegun = false;
    for (const part of partsOf(text)) {
      if (part === '') continue;
      if (!hasBegun && !isFirst) yield '\n';
      yield part;
      hasBegun = true;
      isFirst = false;
    }
  }
}

/** The parts of a text joined until they are worth a write. */
export function* inChunks(text: Text, length: number): Generator<string> {
  let chunk = '';
  for (const part of text) {
    chunk += part;
    if (chunk.length < length) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

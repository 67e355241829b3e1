import { jsonText } from '../syntax/json-text.ts';

/** A list whose elements are made one after the other, while they are written: all of them may be more than fits into memory. */
export interface LongList<T> extends Iterable<T> {
  readonly length: number;
}

/** In a document, the elements of such a list, and what is in a list of theirs, are written one by one. */
const deepestPart = 4;

/** What `jsonText` makes of a document with these lists as arrays, part by part. */
export function* jsonParts(value: unknown, indent = '', depth = deepestPart): Generator<string> {
  if (depth === 0 || typeof value !== 'object' || value === null) {
    yield jsonText(value, 2).replaceAll('\n', `\n${indent}`);
    return;
  }
  const inner = `${indent}  `;
  const [open, close] = isList(value) ? '[]' : '{}';
  let before = `${open}\n`;
  for (const [key, part] of entriesOf(value)) {
    yield `${before}${inner}${key === undefined ? '' : `${jsonText(key)}: `}`;
    yield* jsonParts(part, inner, depth - 1);
    before = ',\n';
  }
  yield before === ',\n' ? `\n${indent}${close}` : `${open}${close}`;
}

/** What `renderYaml` makes of it. */
export function* yamlParts(
  value: unknown,
  renderYaml: (value: unknown) => string,
  indent = '',
  depth = deepestPart,
): Generator<string> {
  const indented = (text: string) => text.replaceAll(/^(?=.)/gm, indent);
  for (const [key, part] of entriesOf(value as object)) {
    const isLong = depth > 1 && typeof part === 'object' && part !== null && !isEmpty(part);
    if (!isLong) yield indented(renderYaml(key === undefined ? [part] : { [key]: part }));
    else if (key === undefined) {
      // The first line of an element begins with its sign.
      let sign = `${indent}- `;
      for (const text of yamlParts(part, renderYaml, `${indent}  `, depth - 1)) {
        yield sign + text.slice(sign.length);
        sign = '';
      }
    } else {
      yield `${indented(renderYaml({ [key]: null })).replace(/ null\n$/, '\n')}`;
      yield* yamlParts(part, renderYaml, `${indent}  `, depth - 1);
    }
  }
}

function isList(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value;
}

function isEmpty(value: object): boolean {
  return entriesOf(value).next().done === true;
}

/** Elements of a list, or the fields of an object that are written. */
function* entriesOf(value: object): Generator<[key: string | undefined, part: unknown]> {
  if (isList(value)) for (const part of value) yield [undefined, part];
  else for (const [key, part] of Object.entries(value)) if (part !== undefined) yield [key, part];
}

/** Texts that are worth writing: of many short ones, one of about this length. */
const lengthOfBlock = 64 * 1024;

export function* inBlocks(texts: Iterable<string>): Generator<string> {
  let block = '';
  for (const text of texts) {
    block += text;
    if (block.length < lengthOfBlock) continue;
    yield block;
    block = '';
  }
  if (block !== '') yield block;
}

/** The list in pieces of so many elements; of an empty one, an empty piece. */
export function* piecesOf<T>(list: Iterable<T>, size: number): Generator<T[]> {
  let piece: T[] = [];
  let isFirst = true;
  for (const element of list) {
    if (piece.length === size) {
      yield piece;
      piece = [];
      isFirst = false;
    }
    piece.push(element);
  }
  if (isFirst || piece.length > 0) yield piece;
}

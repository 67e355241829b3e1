import { type Slice, slicesOf } from './document-slices.ts';
import { jsonText } from './printable.ts';

/** A document in parts, indented by two. */
export function* jsonParts(document: object): Generator<string> {
  let before = '{\n';
  for (const slice of slicesOf(document)) {
    yield before + fieldText(slice);
    before = ',\n';
  }
  yield before === ',\n' ? '\n}\n' : '{}\n';
}

/** Without the braces around it, and without the brackets of a list that goes on. */
function fieldText({ field, value, isContinued, continues }: Slice): string {
  const text = jsonText({ [field]: value }, 2);
  const start = isContinued ? `{\n  ${jsonText(field)}: [\n` : '{\n';
  const end = continues ? '\n  ]\n}' : '\n}';
  return text.slice(start.length, -end.length);
}

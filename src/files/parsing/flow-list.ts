import { yamlScalar } from './yaml-scalar.ts';

/** An entry of a list in brackets: in double quotes, or a word. */
const entry = /"[^"\\]*"|[A-Za-z0-9_.][A-Za-z0-9_./-]*/g;
const end = ' *(?: #.*)?$';
const emptyObject = new RegExp(`^\\{\\}${end}`);
const list = new RegExp(`^\\[ *((?:${entry.source})(?: *, *(?:${entry.source}))*)? *\\]${end}`);

/** What stands at the end of a line of YAML in braces without fields, or in brackets, where it is a list of texts; undefined of all else. */
export function plainFlowValue(text: string): unknown {
  if (emptyObject.test(text)) return {};
  const found = list.exec(text);
  return found ? (found[1]?.match(entry) ?? []).map(valueOfEntry) : undefined;
}

function valueOfEntry(written: string): unknown {
  return written.startsWith('"') ? written.slice(1, -1) : yamlScalar(written);
}

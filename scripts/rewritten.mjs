import { parseSync, Visitor } from 'rolldown/utils';

/** A plugin that makes another text of each chunk. */
export function rewritten(name, change) {
  return {
    name,
    generateBundle: (_, bundle) => {
      for (const chunk of Object.values(bundle)) {
        chunk.code = change(chunk.code, chunk.fileName);
      }
    },
  };
}

/** Shows the parts of a chunk to a visitor. */
export function visit(code, name, visitor) {
  const { program, errors } = parseSync(name, code);
  if (errors.length > 0) throw new Error(`${name} cannot be parsed: ${errors[0].message}`);
  new Visitor(visitor).visit(program);
}

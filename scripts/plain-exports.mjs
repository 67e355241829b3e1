import { parseSync, Visitor } from 'rolldown/utils';

const getter =
  /,?Object\.defineProperty\(exports,"([\w$]+)",\{enumerable:!0,get:function\(\)\{return ?([\w$]+|`[^`$\\]*`)\}\}\)/g;

/**
 * rolldown gives each export of a chunk a function that looks the value up, and V8 takes as long to define a thousand of them
 * as to run some chunks. They stand at the end of a chunk: what is not assigned to there or later can be the value itself.
 */
export function plainExports() {
  return {
    name: 'plain-exports',
    generateBundle: (_, bundle) => {
      for (const chunk of Object.values(bundle)) {
        chunk.code = withPlainExports(chunk.code, chunk.fileName);
      }
    },
  };
}

function withPlainExports(code, name) {
  const changing = assignedIn(code, name);
  const plain = [];
  const rest = code.replaceAll(getter, (given, exported, value) => {
    if (changing.has(value)) return given;
    plain.push(`${exported}:${value}`);
    return given.startsWith(',') ? '' : '0';
  });
  return plain.length === 0
    ? code
    : `${rest.replace(/;?\s*$/, ';')}Object.assign(exports,{${plain}});`;
}

/** Each name that some assignment may be to, of whatever scope. */
function assignedIn(code, name) {
  const { program, errors } = parseSync(name, code);
  if (errors.length > 0) throw new Error(`${name} cannot be parsed: ${errors[0].message}`);
  const names = new Set();
  const note = ({ start, end }) => {
    for (const [word] of code.slice(start, end).matchAll(/[\w$]+/g)) names.add(word);
  };
  new Visitor({
    AssignmentExpression: ({ left }) => note(left),
    UpdateExpression: ({ argument }) => note(argument),
    ForInStatement: ({ left }) => note(left),
    ForOfStatement: ({ left }) => note(left),
  }).visit(program);
  return names;
}

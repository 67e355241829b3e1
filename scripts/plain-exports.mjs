import { rewritten, visit } from './rewritten.mjs';

const getter =
  /,?Object\.defineProperty\(exports,"([\w$]+)",\{enumerable:!0,get:function\(\)\{return ?([\w$]+|`[^`$\\]*`)\}\}\)/g;

/**
 * rolldown gives each export of a chunk a function that looks the value up, and V8 takes as long to define a thousand of them
 * as to run some chunks. They stand at the end of a chunk: what is not assigned to there or later can be the value itself.
 */
export function plainExports() {
  return rewritten('plain-exports', withPlainExports);
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
  const names = new Set();
  const note = ({ start, end }) => {
    for (const [word] of code.slice(start, end).matchAll(/[\w$]+/g)) names.add(word);
  };
  visit(code, name, {
    AssignmentExpression: ({ left }) => note(left),
    UpdateExpression: ({ argument }) => note(argument),
    ForInStatement: ({ left }) => note(left),
    ForOfStatement: ({ left }) => note(left),
  });
  return names;
}

/**
 * oclif's modules require all others at their top, and one command uses few of them. TypeScript
 * compiled them, so each import has one form and a name of its own (`config_1`): the plugin turns
 * `const config_1 = require("./config")` (`var` in what re-exports) into a function and its uses into calls, so that what
 * nobody uses is never run.
 */
export function inlineRequires() {
  return {
    name: 'inline-requires',
    transform: (code, id) =>
      /\/@oclif\/core\/lib\/.*\.js$/.test(id) ? { code: inlined(code), map: null } : undefined,
  };
}

const imported =
  /^(?:const|var) (\w+_\d+) = ((?:__importDefault|__importStar)?\(?require\("[^"]+"\)\)?);$/gm;

function inlined(code) {
  const names = [...code.matchAll(imported)].map(([, name]) => name);
  if (names.length === 0) return code;
  const uses = new RegExp(`(?<!const |var |[\\w.])(${names.join('|')})(?!\\w)`, 'g');
  // In parentheses, because `new name_1.Class()` would otherwise construct what the call returns.
  return code.replace(uses, '($1())').replace(imported, 'const $1 = () => $2;');
}

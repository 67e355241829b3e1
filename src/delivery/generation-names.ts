const hashed = /^(.+)-[2456789bcdfghkmt]{10}$/;
const words = /[a-z0-9.-]+/g;
const hash = /^-[2456789bcdfghkmt]{10}$/;

/** What kustomize appended its hash to; undefined of a name without one. */
export function generatedFrom(name: string): string | undefined {
  return hashed.exec(name)?.[1];
}

/** Names of generations in any text of an object. */
export function generationNamesIn(object: object): ReadonlySet<string> {
  return new Set(JSON.stringify(object).match(words)?.flatMap(generationIn));
}

/** The longest part of a word that is the name of a generation: a hash is followed by a dot or nothing. */
function generationIn(word: string): string[] {
  const start = word.search(/[a-z0-9]/);
  if (start === -1) return [];
  for (let end = word.length; end > start; end = word.lastIndexOf('.', end - 1)) {
    const at = end - '-2456789bcd'.length;
    if (at > start && hash.test(word.slice(at, end))) return [word.slice(start, end)];
  }
  return [];
}

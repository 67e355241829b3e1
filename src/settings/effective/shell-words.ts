/** A word of a command line; `unclear` says why its text may be another. */
export interface Word {
  readonly text: string;
  readonly unclear?: string | undefined;
}

/** Values of variables that are known; a shell's `$NAME`. */
export type Variables = ReadonlyMap<string, string>;

/** The simple commands of a shell script, in order, without redirections. */
export function shellCommands(script: string, variables: Variables = new Map()): Word[][] {
  const commands: Word[][] = [];
  let words: Word[] = [];
  let word: { text: string; unclear?: string | undefined } | undefined;
  let skipsNext = false;
  const endWord = (): void => {
    if (word && !skipsNext) words.push(word);
    if (word) skipsNext = false;
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  const add = (text: string): void => {
    word ??= { text: '' };
    word.text += text;
  };
  const expand = (at: number): number => {
    const found = variableAt(script, at);
    const value = found.name === undefined ? undefined : variables.get(found.name);
    add(value ?? found.written);
    if (word && value === undefined) {
      word.unclear = `${found.written} stands for something that is only known on the node`;
    }
    return at + found.written.length;
  };

  let at = 0;
  while (at < script.length) {
    const char = script.charAt(at);
    if (char === "'") {
      const end = closing(script, "'", at + 1);
      add(script.slice(at + 1, end));
      at = end + 1;
    } else if (char === '"') {
      add('');
      at += 1;
      while (at < script.length && script.charAt(at) !== '"') {
        if (script.charAt(at) === '\\') {
          add(script.charAt(at + 1) === '\n' ? '' : script.charAt(at + 1));
          at += 2;
        } else if (isExpansion(script, at)) at = expand(at);
        else add(script.charAt(at++));
      }
      at += 1;
    } else if (char === '\\') {
      if (script.charAt(at + 1) !== '\n') add(script.charAt(at + 1));
      at += 2;
    } else if (isExpansion(script, at)) at = expand(at);
    else if (char === '#' && word === undefined) at = closing(script, '\n', at);
    else if (char === '>' || char === '<') {
      // `2>&1`: the digits before it are no argument.
      if (word && /^\d+$/.test(word.text)) word = undefined;
      endWord();
      at += /^[<>]{1,3}[&|]?/.exec(script.slice(at, at + 4))?.[0].length ?? 1;
      skipsNext = true;
    } else if (';&|\n(){}'.includes(char)) {
      if (char === '&' && script.charAt(at + 1) === '>') endWord();
      else endCommand();
      at += 1;
    } else if (/\s/.test(char)) {
      endWord();
      at += 1;
    } else {
      add(char);
      at += 1;
    }
  }
  endCommand();
  return commands;
}

function isExpansion(script: string, at: number): boolean {
  const char = script.charAt(at);
  return char === '`' || (char === '$' && /[A-Za-z_@*#?\d({]/.test(script.charAt(at + 1)));
}

/** `$NAME`, `${NAME…}`, `$(…)` or `` `…` `` that begins at `at`. */
function variableAt(
  script: string,
  at: number,
): { readonly written: string; readonly name: string | undefined } {
  const rest = script.slice(at);
  const simple = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/.exec(rest);
  if (simple) return { written: simple[0], name: simple[1] ?? simple[2] };
  if (rest.startsWith('`'))
    return { written: rest.slice(0, closing(rest, '`', 1) + 1), name: undefined };
  const bracket = rest.charAt(1);
  if (bracket !== '(' && bracket !== '{') return { written: rest.slice(0, 2), name: undefined };
  const close = bracket === '(' ? ')' : '}';
  let depth = 0;
  for (let end = 1; end < rest.length; end++) {
    if (rest.charAt(end) === bracket) depth += 1;
    if (rest.charAt(end) === close && --depth === 0) {
      return { written: rest.slice(0, end + 1), name: undefined };
    }
  }
  return { written: rest, name: undefined };
}

function closing(text: string, char: string, from: number): number {
  const end = text.indexOf(char, from);
  return end < 0 ? text.length : end;
}

/** Does a text match a pattern in which `*` stands for any characters, and `?` for one? No pattern takes exponential time. */
export function matchesWildcard(pattern: string, text: string): boolean {
  let [at, position] = [0, 0];
  // Where the last `*` stands, and how far the text is that it stands for.
  let star = -1;
  let taken = 0;
  while (position < text.length) {
    if (pattern[at] === '*') {
      star = at++;
      taken = position;
    } else if (pattern[at] === '?' || pattern[at] === text[position]) {
      at++;
      position++;
    } else if (star >= 0) {
      at = star + 1;
      position = ++taken;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}

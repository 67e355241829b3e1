/** Cuts JSON values that stand one after the other into their texts; what is left over is a text too. */
export function jsonValues(text: string): string[] {
  const values: string[] = [];
  let start = 0;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      depth--;
      if (depth > 0) continue;
      values.push(text.slice(start, at + 1));
      start = at + 1;
      depth = 0;
    }
  }
  const rest = text.slice(start);
  return rest.trim() === '' ? values : [...values, rest];
}

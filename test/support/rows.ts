/**
 * A table that is written as text: a row a line, its cells between bars, lined up by blanks that do not count. A line that
 * begins with a bar goes on with the row above.
 */
export function rowsOf(table: string): string[][] {
  return table
    .trim()
    .split(/\n(?!\s*\|)/)
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

/** Cases that are written as text: a name at the margin, and below it the lines of the case, indented by two. */
export function casesOf(text: string): string[][] {
  return text
    .trim()
    .split(/\n(?! )/)
    .map((lines) => lines.split('\n  '));
}

/** Pairs of words, with a line break or three blanks and more between two of them. */
export function pairsOf(text: string): string[][] {
  return text
    .trim()
    .split(/\s{3,}|\n/)
    .map((pair) => pair.split(' '));
}

/** What several cases come to, once: the result and its cases in a row make a case and the result each. */
export function casesByResult(table: string): string[][] {
  return rowsOf(table).flatMap(([result = '', ...cases]) => cases.map((one) => [one, result]));
}

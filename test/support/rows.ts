/** A table that is written as text: a row a line, its cells between bars, lined up by blanks that do not count. */
export function rowsOf(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

/** Cases that are written as text: a name at the margin, and below it the lines of the case, indented by two. */
export function casesOf(text: string): string[][] {
  return text
    .trim()
    .split(/\n(?! )/)
    .map((lines) => lines.split('\n  '));
}

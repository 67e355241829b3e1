/** A table that is written as text: a row a line, its cells between bars, lined up by blanks that do not count. */
export function rowsOf(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

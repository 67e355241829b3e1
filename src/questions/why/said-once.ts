/** Shorter ends of a text are no trouble to read twice. */
const shortest = 50;

/** Leaves out the end of a text that was said before: one error of a server is reported by several controllers. */
export function sayingOnce(): (text: string) => string {
  const said: string[] = [];
  return (text) => {
    const ends = [...text.matchAll(/: /g)].map(({ index }) => index);
    const known = ends.find((at) => {
      const tail = text.slice(at + 2);
      const isWhole = tail.split('(').length === tail.split(')').length;
      return tail.length >= shortest && isWhole && said.some((one) => one.includes(tail));
    });
    said.push(text);
    return known === undefined ? text : `${text.slice(0, known)} (as above)`;
  };
}

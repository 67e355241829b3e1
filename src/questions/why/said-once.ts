import type { PrintedLink } from './document.ts';

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

/** A link, and those beside it that say the same of other objects of its kind. */
export interface AlikeLinks {
  readonly link: PrintedLink;
  readonly others: readonly PrintedLink[];
}

/** Links that differ only by the name of their object, together: equal causes are one row. */
export function alikeTogether(links: readonly PrintedLink[]): AlikeLinks[] {
  return [...Map.groupBy(links, sharedCauseOf).values()].flatMap(([link, ...others]) =>
    link ? [{ link, others }] : [],
  );
}

/** What a link says, without the name of its object and the time at which its deletion began. */
function sharedCauseOf(link: PrintedLink): string {
  const { object, since = '' } = link;
  return JSON.stringify(link, (key, value: unknown) => {
    if (['evidence', 'fix', 'since'].includes(key)) return undefined;
    if (typeof value !== 'string' || value === '') return value;
    if (value === object.uid || (key === 'name' && value === object.name)) return '';
    return withoutName(since === '' ? value : value.replaceAll(since, ''), object.name);
  });
}

/** `kubectl gc why configmap/a`, `ConfigMap a`: the name where it stands for an object. */
function withoutName(text: string, name: string): string {
  return [`/${name} `, ` ${name} `]
    .reduce((rest, named) => rest.replaceAll(named, named.replace(name, '')), `${text} `)
    .trimEnd();
}

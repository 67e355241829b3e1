import type { PrintedLink } from './document.ts';

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

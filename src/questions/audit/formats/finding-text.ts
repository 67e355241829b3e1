import { counted, firstOf } from '../../../kube/counts-by-kind.ts';
import { fullNameOf } from '../../../kube/object-reference.ts';
import { problemText } from '../../../snapshot/coverage.ts';
import type { AuditItem, AuditReport, PassedOver } from '../document.ts';

/**
 * Where a finding is shown in a review: file and line, or a path made of the object's namespace,
 * kind and name.
 */
export function locationOf({ place, object }: AuditItem): {
  readonly path: string;
  readonly line: number;
  /** Is there a file of that path? */
  readonly isFile: boolean;
} {
  if (place && place.path !== '<stdin>') {
    return { path: relative(place.path), line: place.line, isFile: true };
  }
  const { apiVersion, kind, namespace, name } = object;
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? [] : [apiVersion.slice(0, slash)];
  const where = namespace === '' ? ['cluster'] : ['namespaces', namespace];
  const path = [...where, ...group, kind.toLowerCase(), name]
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join('/');
  return { path, line: place?.line ?? 1, isFile: false };
}

/** Does it count? */
export function isNewFinding({ status }: AuditItem): boolean {
  return status === 'new';
}

/** One sentence or two, with what follows from it. */
export function sentenceOf({ message, consequence }: AuditItem): string {
  return consequence === '' || consequence === 'none' ? message : `${message} (${consequence})`;
}

/** By which configuration the audit ran, and what it left out; empty without one. */
export function configurationOf({ configuration, failOn }: AuditReport): string {
  if (!configuration) return '';
  const { path, skippedRules } = configuration;
  const skipped =
    skippedRules.length > 0 ? ` Rules that did not run: ${skippedRules.join(', ')}.` : '';
  return `Configured by ${path}; fails on: ${failOn}.${skipped}`;
}

/** What was not read, one sentence each. */
export function unreadSentences({
  coverage,
  notChecked,
  unknown,
  passedOver,
}: AuditReport): string[] {
  return [
    ...(passedOver ? [passedOverLine(passedOver)] : []),
    ...coverage.problems.map(problemText),
    ...notChecked.map(
      ({ rule, because, objects }) => `${rule}: ${objects} not checked: ${because}`,
    ),
    ...unknown.map(({ object, because }) => `${fullNameOf(object)}: ${because}`),
  ];
}

function relative(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
}

/** `Not rendered, so not checked (--render): 2 charts (a and b), 1 kustomization (c). Without objects: 12 files.` */
export function passedOverLine(passedOver: readonly PassedOver[]): string {
  const of = (what: PassedOver['what']) => passedOver.filter((one) => one.what === what);
  const made = (['chart', 'kustomization'] as const).flatMap((what) => {
    const paths = of(what).map(({ path }) => path);
    return paths.length > 0 ? [`${counted(paths.length, what)} (${firstOf(paths)})`] : [];
  });
  const others = of('other').length;
  return [
    ...(made.length > 0 ? [`Not rendered, so not checked (--render): ${made.join(', ')}.`] : []),
    ...(others > 0 ? [`Without objects: ${counted(others, 'file')}.`] : []),
  ].join(' ');
}

import fc from 'fast-check';
import { reportOf } from './audit-report.ts';
import { configMap, ownedByGone } from './builders.ts';

/** Parts of names and messages that mean something to one format or another. */
const meaningful = [
  ...['\u001b[2J', '\u001b]52;c;cm0gLXJm\u0007', '\u001b]8;;http://example.com\u0007'],
  ...['\u009b31m', '\u0000', '\b', '\u007f', '\r', '\n', '\r\n', '\u2028', '\u0085', '\u202e'],
  ...['\u2066', '\u200f', '\ud800', '\ufffe', '\n::error::c', '::add-mask::c', '##[group]c'],
  ...['##vso[task.complete]', '%0A', '<script>alert(1)</script>', '</script>'],
  ...['<img src=x onerror=alert(1)>', '</text><rect/>', '<!--', '-->', ']]>', '<![CDATA['],
  ...['&amp;', '&#10;', '"', "'", '`', '``', '|', '\\', '\\"', '\\|', '\n| a | b |', '\n# a'],
  ...['[a](javascript:alert(1))', '![a](http://example.com)', '**', '<br/>', '"];\n  n9 -> n0'],
  ...['"]\n  n9["x', '%%{init: {}}%%', '$$x$$', 'fa:fa-x', '#quot;', '"} 1\nup{a="'],
  ...['\n# HELP up x', '{{range}}', '$(touch x)', '; rm -rf x', "'; touch x; '", ': ', '- '],
  ...['&a', '*a', '!!binary ', '\n---\n', 'größe 🚢', 'a', 'web-1'],
];

const textOf = (parts: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 5 })
    .map((chosen) => chosen.join(''));
const anyMessage = textOf(meaningful);
/** No server has a name with one of these, and an owner with one is unknown. */
const anyName = textOf(meaningful.filter((part) => part.isWellFormed() && !/[/%]/.test(part)));

export interface Names {
  readonly object: string;
  readonly owner: string;
  readonly message: string;
  readonly path: string;
}

export const anyNames: fc.Arbitrary<Names> = fc.record({
  object: anyName,
  owner: anyName,
  message: anyMessage,
  path: anyMessage,
});
export const plainNames: Names = { object: 'x', owner: 'y', message: 'z', path: 'p' };

/** A report of an object whose owner is gone. */
export function auditOf({ object, owner, message, path }: Names) {
  const gone = { ...ownedByGone('apps/v1 Deployment web'), name: owner };
  return reportOf([configMap(object, { ownerReferences: [gone], place: { path, line: 7 } })], {
    coverage: { problems: [{ reason: 'forbidden', message }] },
  });
}

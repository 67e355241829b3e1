import { expect, test } from 'vitest';
import { GcError } from '../../src/errors.ts';
import { isolated } from '../../src/snapshot/isolated.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { builderOf, snapshotOf } from '../support/builders.ts';

const pod = builderOf('v1', 'Pod');
const names = ({ records }: Snapshot) =>
  records.map(({ name, facts }) => (facts === undefined ? `${name} bare` : name));
const all = snapshotOf(['a', 'b', 'c', 'd', 'e'].map((name) => pod(name, { facts: {} })));

/** Fails while there is a record that `isAtFault`, and answers what there is. */
const asking = (isAtFault: (name: string) => boolean) => (known: Snapshot) => {
  if (names(known).some(isAtFault)) throw new TypeError('not foreseen');
  return { left: names(known), problems: known.coverage.problems, read: known.coverage.read };
};

test('an object that cannot be judged by spec and status is judged by its metadata, and all others normally', () => {
  const { left, problems } = isolated(
    all,
    asking((name) => name === 'b' || name === 'e'),
  );
  expect(left).toEqual(['a', 'b bare', 'c', 'd', 'e bare']);
  expect(problems.map(({ name, reason }) => [name, reason])).toEqual([
    ['b', 'unreadable'],
    ['e', 'unreadable'],
  ]);
});

test('an object that cannot be judged at all is left out, and its kind counts as incomplete', () => {
  const { left, problems, read } = isolated(
    all,
    asking((name) => name.startsWith('c')),
  );
  expect(left).toEqual(['a', 'b', 'd', 'e']);
  expect(problems.map(({ name }) => name)).toEqual(['c']);
  expect(read.filter(({ resource }) => resource === 'pods')).toEqual([]);
});

test('an error that no object caused, or that is expected, is thrown', () => {
  const always = () => isolated(all, () => JSON.parse('{'));
  expect(always).toThrow(SyntaxError);
  const foreseen = () =>
    isolated(all, () => {
      throw new GcError('not there', { code: 'not-there' });
    });
  expect(foreseen).toThrow(GcError);
});

test('objects are handed on as they are in what is asked about', () => {
  const answer = isolated(all, (known, same) => {
    asking((name) => name === 'b')(known);
    return names({ ...known, records: same(all.records.slice(1, 3)) });
  });
  expect(answer).toEqual(['b bare', 'c']);
});

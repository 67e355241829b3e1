import { expect, test } from 'vitest';
import { listedContexts } from '../../src/shell/fleet.ts';

const known = new Map(['b', 'a', 'x,y', 'c'].map((name) => [name, {}]));

test.each([
  { text: 'a', names: undefined, why: 'one context' },
  { text: 'nowhere', names: undefined, why: 'one context, which is not there' },
  { text: 'x,y', names: undefined, why: 'one context, named with a comma' },
  { text: 'b,a', names: ['b', 'a'], why: 'two contexts, in this order' },
  { text: 'a,b,a', names: ['a', 'b'], why: 'each context once' },
  { text: 'a,nowhere', names: ['a', 'nowhere'], why: 'a list, one name unknown' },
  { text: 'a,', names: ['a', ''], why: 'a list, the second name empty' },
  { text: 'all', names: ['a', 'b', 'c', 'x,y'], why: 'every context, in order' },
  { text: 'a,all', names: ['a', 'all'], why: 'a list, one name "all"' },
])('--context $text is $why', ({ text, names }) => {
  expect(listedContexts(text, known)).toEqual(names);
});

test('a context that is called all counts as that context', () => {
  expect(listedContexts('all', new Map([['all', {}]]))).toBeUndefined();
});

test('--context all without contexts names none', () => {
  expect(listedContexts('all', new Map())).toEqual([]);
});

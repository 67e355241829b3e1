import { expect, test } from 'vitest';
import type { Mutant } from '../../scripts/mutants/instrument.ts';
import { report } from '../../scripts/mutants/report.ts';
import { sample } from '../../scripts/mutants/sample.ts';

test('a sample has as many as asked for, in their order, and the same for the same seed', () => {
  const all = Array.from({ length: 1000 }, (_, at) => at);
  const first = sample(all, 100, 1);
  expect(first.length).toBe(100);
  expect(first).toEqual(first.toSorted((a, b) => a - b));
  expect(sample(all, 100, 1)).toEqual(first);
  expect(sample(all, 100, 2)).not.toEqual(first);
  expect(sample(all, 2000, 1)).toEqual(all);
});

test('the report counts by folder, and leaves out of the score what only loading reaches', () => {
  const mutant = (id: string, file: string): Mutant => ({
    ...{ id, file, line: 1, column: 1 },
    ...{ kind: 'BooleanLiteral', before: 'true', after: 'false' },
  });
  const judge = 'src/controllers/garbage-collector/judge.ts';
  const { text, mutants } = report(
    [mutant('1', judge), mutant('2', judge), mutant('3', judge), mutant('4', 'src/restore/a.ts')],
    {
      killed: new Map([['1', 'a.test.ts: decides']]),
      reached: new Set(['1', '2']),
      loaded: new Map([['3', new Set(['a.test.ts'])]]),
      unused: new Map([['b.test.ts: slow', 'takes over 1500 ms']]),
    },
  );
  expect(text.split('\n')).toEqual([
    'folder                               mutants   on load    killed  survived unreached     score',
    'controllers/garbage-collector              3         1         1         1         0    50.0 %',
    'restore                                    1         0         0         0         1     0.0 %',
    'all                                        4         1         1         1         1    33.3 %',
    'not used: b.test.ts: slow: takes over 1500 ms',
  ]);
  expect(mutants.map(({ id, state, by }) => [id, state, by])).toEqual([
    ['1', 'killed', 'a.test.ts: decides'],
    ['2', 'survived', undefined],
    ['3', 'on load', undefined],
    ['4', 'unreached', undefined],
  ]);
});

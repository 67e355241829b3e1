import { expect, test } from 'vitest';
import type { Observation } from '../../../../src/perform/progress-event.ts';
import { shrinkingTree } from '../../../../src/questions/delete/progress/progress-tree.ts';
import { planned, planOf } from '../../../perform/send/plans.ts';
import { configMap, deployment, pod, replicaSet } from '../../../support/builders.ts';

const web = deployment('web');
const set = replicaSet('web-1');
const pods = ['a', 'b', 'c', 'd'].map((name) => pod(`web-1-${name}`));
const kept = configMap('shared');
const held = configMap('held');
const plan = planOf(
  [],
  [
    planned(web, 'deleted'),
    planned(set, 'deleted', { goesWith: web.uid }),
    ...pods.map((record) => planned(record, 'deleted', { goesWith: set.uid })),
    planned(kept, 'kept', { goesWith: web.uid }),
    planned(held, 'terminating', {
      goesWith: web.uid,
      blockedBy: [{ kind: 'finalizer', name: 'example.com/hold' }],
    }),
  ],
);

function draw(
  seen: Record<string, Observation>,
  options: Partial<Parameters<typeof shrinkingTree>[2]> = {},
): string[] {
  const all = [web, set, ...pods, kept, held];
  const observations = new Map(
    all.flatMap(({ name, uid }) => {
      const observation = seen[name];
      return observation === undefined ? [] : [[uid, observation] as const];
    }),
  );
  return shrinkingTree(plan, observations, { width: undefined, colour: false, ...options }).split(
    '\n',
  );
}

test('the progress tree first shows every object as existing', () => {
  expect(draw({})).toEqual([
    '0 of 7 gone, 1 to stay',
    'deployment.apps/web in shop (7 to go)',
    '  replicaset.apps/web-1 (5 to go)',
    '    pod/web-1-a',
    '    pod/web-1-b',
    '    pod/web-1-c',
    '    pod/web-1-d',
    '  configmap/held',
  ]);
});

test('deleted objects are folded, except those that block others', () => {
  const seen: Record<string, Observation> = {
    web: 'gone',
    'web-1': 'recreated',
    'web-1-a': 'gone',
    'web-1-b': 'terminating',
    'web-1-c': 'unknown',
    held: 'terminating',
  };
  expect(draw(seen)).toEqual([
    '3 of 7 gone, 2 terminating, 1 to stay',
    '✓ deployment.apps/web in shop (4 to go)',
    '  ✓ replicaset.apps/web-1 (3 to go)',
    '    pod/web-1-b is terminating',
    '    pod/web-1-c cannot be seen',
    '    pod/web-1-d',
    '    ✓ 1 gone',
    '  configmap/held is terminating, blocked by example.com/hold',
  ]);
});

test('the progress tree ends with one line of totals', () => {
  const gone = Object.fromEntries(
    [web, set, ...pods, held].map(({ name }): [string, Observation] => [name, 'gone']),
  );
  expect(draw(gone)).toEqual(['7 of 7 gone, 1 to stay', '✓ 7 gone']);
});

test.each([2, 3, 4, 5, 6, 8, 11, 12])('it takes no more than %i lines', (lines) => {
  const drawn = draw({}, { lines });
  expect(drawn.length).toBeLessThanOrEqual(lines);
  expect(drawn[0]).toBe('0 of 7 gone, 1 to stay');
});

test('the progress tree counts the objects that do not fit', () => {
  expect(draw({}, { lines: 6 })).toEqual([
    '0 of 7 gone, 1 to stay',
    'deployment.apps/web in shop (7 to go)',
    '  replicaset.apps/web-1 (5 to go)',
    '    pod/web-1-a',
    '    … and 3 more',
    '  configmap/held',
  ]);
  expect(draw({}, { lines: 3 })).toEqual([
    '0 of 7 gone, 1 to stay',
    'deployment.apps/web in shop (7 to go)',
    '  … and 6 more',
  ]);
});

test('lines are cut at the width of the terminal, colours are not', () => {
  expect(draw({}, { width: 12 }).slice(0, 3)).toEqual(['0 of 7…', 'deployment.…', '  replicase…']);
  const control = String.fromCharCode(27);
  const coloured = draw({ 'web-1-b': 'terminating' }, { width: 22, colour: true });
  expect(coloured[0]).toBe(`${control}[1m0 of 7 gone, 1…${control}[22m`);
  expect(coloured).toContain(`    pod/web-1-b ${control}[33mis…${control}[39m`);
});

test('a name cannot break a line', () => {
  const odd = planOf([], [planned(pod('a\nb'), 'deleted')]);
  expect(shrinkingTree(odd, new Map(), { width: undefined, colour: false })).toBe(
    '0 of 1 gone\npod/a%0Ab in shop',
  );
});

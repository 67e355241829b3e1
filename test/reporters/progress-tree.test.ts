import { expect, test } from 'vitest';
import type { Observation } from '../../src/plan/progress-event.ts';
import { shrinkingTree } from '../../src/reporters/progress-tree.ts';
import { planned, planOf } from '../executor/plans.ts';
import { configMap, deployment, pod, replicaSet } from '../support/builders.ts';

const web = deployment('web');
const set = replicaSet('web-1');
const pods = ['a', 'b', 'c', 'd'].map((name) => pod(`web-1-${name}`));
const kept = configMap('shared');
const held = configMap('held');
const plan = planOf(
  [],
  [
    planned(web, 'deleted'),
    planned(set, 'deleted'),
    ...pods.map((record) => planned(record, 'deleted')),
    planned(kept, 'kept'),
    planned(held, 'terminating', { blockedBy: [{ kind: 'finalizer', name: 'example.com/hold' }] }),
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

test('at first everything is there', () => {
  expect(draw({})).toEqual([
    '0 of 7 gone, 1 to stay',
    '• Deployment in shop: 0 of 1 gone',
    '  deployment.apps/web',
    '• ReplicaSet in shop: 0 of 1 gone',
    '  replicaset.apps/web-1',
    '• Pod in shop: 0 of 4 gone',
    '  pod/web-1-a',
    '  pod/web-1-b',
    '  pod/web-1-c',
    '  pod/web-1-d',
    '• ConfigMap in shop: 0 of 1 gone, 1 to stay',
    '  configmap/held',
  ]);
});

test('what is gone is folded, below what is still to go', () => {
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
    '• Pod in shop: 1 of 4 gone, 1 terminating',
    '  pod/web-1-b is terminating',
    '  pod/web-1-c cannot be seen',
    '  pod/web-1-d',
    '• ConfigMap in shop: 0 of 1 gone, 1 terminating, 1 to stay',
    '  configmap/held is terminating, held by example.com/hold',
    '✓ Deployment in shop: 1 of 1 gone',
    '✓ ReplicaSet in shop: 1 of 1 gone',
  ]);
});

test.each([2, 3, 4, 5, 6, 8, 11, 12])('it takes no more than %i lines', (lines) => {
  const drawn = draw({}, { lines });
  expect(drawn.length).toBeLessThanOrEqual(lines);
  expect(drawn[0]).toBe('0 of 7 gone, 1 to stay');
});

test('what does not fit is counted', () => {
  expect(draw({}, { lines: 8 })).toEqual([
    '0 of 7 gone, 1 to stay',
    '• Deployment in shop: 0 of 1 gone',
    '  deployment.apps/web',
    '• ReplicaSet in shop: 0 of 1 gone',
    '  replicaset.apps/web-1',
    '• Pod in shop: 0 of 4 gone',
    '  … and 4 more',
    '• ConfigMap in shop: 0 of 1 gone, 1 to stay',
  ]);
  expect(draw({}, { lines: 3 })).toEqual([
    '0 of 7 gone, 1 to stay',
    '• Deployment in shop: 0 of 1 gone',
    '… and 3 more kinds',
  ]);
});

test('lines are cut at the width of the terminal, colours are not', () => {
  expect(draw({}, { width: 12 }).slice(0, 3)).toEqual([
    '0 of 7 gone…',
    '• Deploymen…',
    '  deploymen…',
  ]);
  const control = String.fromCharCode(27);
  const coloured = draw({ 'web-1-b': 'terminating' }, { width: 20, colour: true });
  expect(coloured[0]).toBe(`${control}[1m0 of 7 gone, 1 term…${control}[22m`);
  expect(coloured).toContain(`  pod/web-1-b ${control}[33mis te…${control}[39m`);
});

test('a name cannot break a line', () => {
  const odd = planOf([], [planned(pod('a\nb'), 'deleted')]);
  expect(shrinkingTree(odd, new Map(), { width: undefined, colour: false })).toBe(
    '0 of 1 gone\n• Pod in shop: 0 of 1 gone\n  pod/a^Jb',
  );
});

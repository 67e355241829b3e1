import { expect, test } from 'vitest';
import { replicaSet, secret } from '../../support/builders.ts';
import { remove, simulateObjects } from '../play-out.ts';

const accepted = { code: 200, reason: '' };

test('answers no request that was to be sent after the deadline', () => {
  const [first, second, third] = [secret('first'), secret('second'), secret('third')];
  const late = remove(second, 'Background', { after: 20_000 });
  const { replies, ended, objects, undetermined } = simulateObjects(
    [first, second, third],
    [remove(first), late, remove(third)],
    { duration: 10_000 },
  );
  expect({ replies, ended, objects, undetermined }).toEqual({
    replies: [accepted],
    ended: 'deadline',
    objects: [second, third],
    undetermined: [],
  });
});

test('says which replies depend on how fast the user is', () => {
  const twice = replicaSet('web');
  const { replies, objects, undetermined } = simulateObjects(
    [twice],
    [remove(twice, 'Foreground'), remove(twice, 'Foreground')],
  );
  expect({ replies, objects, undetermined }).toEqual({
    replies: [accepted, { ...accepted, certain: false }],
    objects: [],
    undetermined: [],
  });
});

import { expect, test } from 'vitest';
import { replicaSet } from '../../support/builders.ts';
import { remove, simulateObjects } from '../play-out.ts';

const accepted = { code: 200, reason: '' };

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

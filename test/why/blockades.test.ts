import { describe, expect, test } from 'vitest';
import { diagnosedOf } from '../../src/output/documents/why.ts';
import { blockades } from '../support/blockades.ts';
import { diagnosed, leaseOf, readAt } from './diagnosed.ts';

const everything = [leaseOf(readAt), ...blockades.flatMap(({ objects }) => objects)];

/** What only a real API server refuses is left to the live tests. */
const offline = blockades.filter(
  ({ blockers }) => !blockers.some((one) => one.includes('webhook')),
);

describe.each(offline)('$name', ({ ask, state = 'stuck', blockers, fix }) => {
  test('is seen as what it is', async () => {
    const found = diagnosedOf(await diagnosed(ask, everything));
    expect({
      state: found.state,
      blockers: found.blockers.map(({ object, cause }) => `${object.kind}/${object.name} ${cause}`),
      fix: found.fix?.does,
    }).toEqual({ state, blockers, fix });
  });
});

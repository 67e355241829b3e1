import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/index.ts';
import { wiredCollectors } from '../../../src/simulator/clean-up/wired-collectors.ts';

test('every collector that does something is simulated', () => {
  const wired = new Set(wiredCollectors.map(({ id }) => id));
  const others = collectors.map(({ id }) => id).filter((id) => !wired.has(id));
  expect(others).toEqual(['node-lease', 'ephemeral-volume', 'missing-node']);
});

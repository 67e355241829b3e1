import { expect, test } from 'vitest';
import { allControllers } from '../../../src/controllers/registry.ts';
import { simulatedControllers } from '../../../src/simulator/controllers/start-controllers.ts';

test('every collector that does something is simulated', () => {
  const wired = new Set(simulatedControllers.map(({ id }) => id));
  const others = allControllers.map(({ id }) => id).filter((id) => !wired.has(id));
  expect(others).toEqual(['node-lease', 'ephemeral-volume', 'missing-node']);
});

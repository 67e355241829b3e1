import { expect, test } from 'vitest';
import {
  type DiskLayout,
  isThresholdMet,
  parseThresholds,
  reclaimsFor,
  thresholdValue,
  withContainerFs,
} from '../../../src/kubelet/eviction/eviction-thresholds.ts';

const containers = 'delete-all-containers';
const images = 'delete-unused-images';

test.each([
  ['one-filesystem', [containers, images], [containers, images], [containers, images]],
  ['separate-imagefs', [], [containers, images], [containers, images]],
  ['split-imagefs', [containers], [images], [containers]],
] as const)('what is reclaimed with %s', (layout, nodefs, imagefs, containerfs) => {
  expect(reclaimsFor('nodefs.available', layout)).toEqual(nodefs);
  expect(reclaimsFor('nodefs.inodesFree', layout)).toEqual(nodefs);
  expect(reclaimsFor('imagefs.available', layout)).toEqual(imagefs);
  expect(reclaimsFor('imagefs.inodesFree', layout)).toEqual(imagefs);
  expect(reclaimsFor('containerfs.available', layout)).toEqual(containerfs);
  expect(reclaimsFor('memory.available', layout)).toEqual([]);
});

test('the containers have the thresholds of the disk that they lie on', () => {
  const { thresholds } = parseThresholds(
    { 'nodefs.available': '10%', 'imagefs.available': '15%', 'containerfs.available': '1%' },
    'hard',
  );
  const written = (layout: DiskLayout) =>
    withContainerFs(thresholds, layout).map((one) => `${one.signal}<${one.written}`);
  const own = ['nodefs.available<10%', 'imagefs.available<15%'];
  expect(written('one-filesystem')).toEqual([...own, 'containerfs.available<10%']);
  expect(written('split-imagefs')).toEqual([...own, 'containerfs.available<10%']);
  expect(written('separate-imagefs')).toEqual([...own, 'containerfs.available<15%']);
});

test('a threshold is met strictly below it, and shares are 32-bit floats', () => {
  const { thresholds } = parseThresholds(
    { 'imagefs.available': '15%', 'nodefs.available': '1Gi', 'nodefs.inodesFree': '0%' },
    'hard',
  );
  const [share, quantity, ...others] = thresholds;
  expect(others).toEqual([]);
  if (!share || !quantity) throw new Error('no thresholds');
  const at = (available: number) => ({ 'imagefs.available': { available, capacity: 1000 } });
  expect(thresholdValue(share, 1000)).toBe(150);
  expect([at(149), at(150), {}].map((observed) => isThresholdMet(share, observed))).toEqual([
    true,
    false,
    undefined,
  ]);
  expect(thresholdValue(quantity, 1000)).toBe(2 ** 30);
});

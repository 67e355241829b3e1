import { expect, test } from 'vitest';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { scopeOf } from '../../src/shell/input/scope.ts';
import { pod } from '../support/builders.ts';

const types = new ResourceTypes(builtInTypes, { exhaustive: true });

/** An object that counts how often its labels are made. */
function countingPod() {
  const looks = { labels: 0 };
  const record = Object.defineProperty(pod('web', { labels: undefined }), 'labels', {
    get: () => {
      looks.labels++;
      return { app: 'web' };
    },
  });
  return { record, looks };
}

test.each([
  [{}, 0, true],
  [{ selector: 'app=web' }, 1, true],
  [{ selector: 'app=other' }, 1, false],
  [{ 'field-selector': 'metadata.name=web' }, 1, true],
])('selectors %o look at the labels of an object %i times', (selectors, looks, isIn) => {
  const counted = countingPod();
  expect(scopeOf(['pods'], selectors)(types, 'shop')(counted.record)).toBe(isIn);
  expect(counted.looks.labels).toBe(looks);
});

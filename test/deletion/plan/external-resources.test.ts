import { expect, test } from 'vitest';
import { widget } from '../../support/builders.ts';
import { planned } from './planned.ts';

test.each([
  [
    'a managed resource of Crossplane',
    ['finalizer.managedresource.crossplane.io'],
    ['warning bucket'],
  ],
  ['another object', [], []],
])('what is outside of the cluster is deleted with %s', (_, finalizers, expected) => {
  const bucket = widget('bucket', { finalizers });
  const { remarks } = planned([bucket], bucket);
  const found = remarks.filter(({ code }) => code === 'data');
  expect(found.map(({ severity, objects }) => `${severity} ${objects[0]?.name}`)).toEqual(expected);
});

import { afterEach, expect, test } from 'vitest';
import { applyPatch } from '../../../src/simulator/api-server/apply-patch.ts';

const object = { metadata: { name: 'web', labels: { app: 'web' }, finalizers: ['a', 'b'] } };

afterEach(() => expect('polluted' in {}).toBe(false));

test.each(['/__proto__/polluted', '/metadata/constructor/prototype/polluted', '/__proto__'])(
  'a JSON patch of %s changes no object of this program',
  (path) => {
    const patch = [{ op: 'add', path, value: { polluted: true } }];
    expect(applyPatch(object, 'json', patch)).toEqual({
      refused: [422, 'Invalid', `the patch cannot be applied: ${path}: there is no such place`],
    });
  },
);

test.each(['merge', 'strategic'] as const)(
  'a %s patch of __proto__ changes no object of this program',
  (type) => {
    const patch = JSON.parse('{"metadata":{"__proto__":{"polluted":true},"labels":{"a":"b"}}}');
    expect(applyPatch(object, type, patch)).toEqual({
      object: { metadata: { ...object.metadata, labels: { app: 'web', a: 'b' } } },
    });
  },
);

test.each(['/metadata/finalizers/x', '/metadata/finalizers/3', '/metadata/finalizers/1.5'])(
  'nothing is added at %s of a list of two',
  (path) => {
    const patch = [{ op: 'add', path, value: 'c' }];
    expect(applyPatch(object, 'json', patch)).toHaveProperty('refused');
  },
);

test('an operation that is none is named, whatever it is', () => {
  const patch = [{ op: { toString: 1 }, path: '/metadata/name', value: 'c' }];
  expect(applyPatch(object, 'json', patch)).toEqual({
    refused: [
      422,
      'Invalid',
      'the patch cannot be applied: /metadata/name: unknown operation {"toString":1}',
    ],
  });
});

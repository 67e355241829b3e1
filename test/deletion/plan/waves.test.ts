import { expect, test } from 'vitest';
import { type TouchedObject, wavesOf } from '../../../src/deletion/plan/play/touched-objects.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { configMap, ownedBy } from '../../support/builders.ts';
import { touched } from './played.ts';

const among = (records: readonly ObjectRecord[], ...targets: ObjectRecord[]) =>
  records.map((record) => touched(record, { isTarget: targets.includes(record) }));

/** `2 c because of b`, one line per object. */
function told(objects: readonly TouchedObject[]): string[] {
  const { waves, causes } = wavesOf(objects);
  return objects.map((object) => {
    const cause = causes.get(object)?.record.name;
    return `${waves.get(object)} ${object.record.name}${cause ? ` because of ${cause}` : ''}`;
  });
}

const a = configMap('a');
const b = configMap('b', { ownerReferences: [ownedBy(a)] });
const c = configMap('c', { ownerReferences: [ownedBy(b)] });

test('an object that two lead to is in the wave of the nearer one', () => {
  const both = configMap('both', { ownerReferences: [ownedBy(c), ownedBy(a)] });
  expect(told(among([a, b, c, both], a))[3]).toBe('1 both because of a');
});

test('an owner that waited for a target comes after it, and then what is deleted with that owner', () => {
  const beside = configMap('beside', { ownerReferences: [ownedBy(a)] });
  const under = configMap('under', { ownerReferences: [ownedBy(beside)] });
  expect(told(among([a, b, c, beside, under], c))).toEqual([
    '2 a because of b',
    '1 b because of c',
    '0 c',
    '3 beside because of a',
    '4 under because of beside',
  ]);
});

import { expect, test } from 'vitest';
import { SavedObjects } from '../../../src/history/deletions/saved-objects.ts';

const widget = {
  ownerReferences: [],
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  namespace: 'shop',
  name: 'store',
  uid: 'w1',
};
const saved = { path: 'backups/one', at: '2026-01-31T12:00:00Z' };
const objects = new SavedObjects();
objects.add({ ...widget, resource: 'widgets' }, saved);

test('an object with a uid is found by its uid alone', () => {
  expect(objects.of(widget)).toEqual({ ...saved, owners: [] });
  expect(objects.of({ ...widget, uid: 'w2' })).toBeUndefined();
});

test('an object without a uid might be the one of its name', () => {
  const might = { ...saved, owners: [], mightBeAnother: true };
  expect(objects.of({ ...widget, uid: '' })).toEqual(might);
  const unserved = { ...widget, apiVersion: '', kind: 'widgets.example.com', uid: '' };
  expect(objects.of(unserved)).toEqual(might);
  for (const other of [{ namespace: 'blog' }, { name: 'x' }, { kind: 'Gadget' }]) {
    expect(objects.of({ ...widget, ...other, uid: '' })).toBeUndefined();
  }
});

test('a later backup replaces an earlier one', () => {
  const again = new SavedObjects();
  again.add({ ...widget, resource: 'widgets' }, saved);
  again.add({ ...widget, resource: 'widgets' }, { ...saved, path: 'backups/two' });
  expect(again.of(widget)?.path).toBe('backups/two');
});

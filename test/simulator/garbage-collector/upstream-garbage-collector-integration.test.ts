import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, configMap, ownedBy, secret, widget } from '../../support/builders.ts';
import { eventsOf, playOut, remove, simulateObjects } from '../play-out.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

describe('CRDDeletionCascading', () => {
  const widgets = definition('widgets.example.com');
  const owner = widget('owner');
  const objects = [widgets, owner, configMap('one', { ownerReferences: [ownedBy(owner)] })];

  test('a collector that starts when the kind does not exist leaves the dependent', () => {
    const requests = [remove(widgets), remove(secret('nobody'), undefined, { after: 8_000 })];
    expect(playOut(objects, requests, { start: 'after-requests' })).toEqual({
      'ConfigMap one': 'alive, owned by owner',
    });
  });
});

// An event is certain where every order of listing leads to it (GC-47), and there is none in a namespace that ends (GC-77).
describe('CrossNamespaceReferences: an owner elsewhere is reported in an event', () => {
  const parent = configMap('parent', { namespace: 'b' });
  const other = configMap('other', { namespace: 'a' });
  const ofParent = { ownerReferences: [ownedBy(parent)] };
  const child = secret('child', { namespace: 'a', ...ofParent });
  const second = secret('child', {
    namespace: 'a',
    ownerReferences: [ownedBy(other), ownedBy(parent)],
  });
  const ending = builderOf('v1', 'Namespace')('a', { deleting: 'background' });
  const line = `v1 Secret child: ownerRef [v1/ConfigMap, namespace: a, name: parent, uid: ${parent.uid}] does not exist in namespace "a"`;
  test.each<[string, ObjectRecord[], string[], string[]]>([
    ['in every order', [parent, child], [line], ['parent']],
    [
      'not always, with a namesake',
      [parent, child, secret('near', { namespace: 'b', ...ofParent })],
      [`(${line})`],
      ['parent', 'near'],
    ],
    [
      'not always, as second owner',
      [parent, other, second],
      [`(${line})`],
      ['parent', 'other', 'child'],
    ],
    ['not in terminating namespaces', [parent, child, ending], [], ['parent', 'a']],
  ])('%s', (_, records, events, left) => {
    const simulation = simulateObjects(records);
    expect([eventsOf(simulation), simulation.objects.map(({ name }) => name)]).toEqual([
      events,
      left,
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { builderOf, configMap, ownedBy, secret, widget } from '../../support/builders.ts';
import { eventsOf, playOut, remove, simulateObjects } from '../play-out.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

describe('CRDDeletionCascading', () => {
  const widgets = definition('widgets.example.com');
  const owner = widget('owner');
  const objects = [widgets, owner, configMap('one', { ownerReferences: [ownedBy(owner)] })];

  test('a collector that starts when the kind is gone leaves the dependent', () => {
    const requests = [remove(widgets), remove(secret('nobody'), undefined, { after: 8_000 })];
    expect(playOut(objects, requests, { start: 'after-requests' })).toEqual({
      'ConfigMap one': 'alive, owned by owner',
    });
  });
});

test('CrossNamespaceReferences: an owner of the wrong kind elsewhere is told in an event', () => {
  const parent = configMap('parent', { namespace: 'b' });
  const child = secret('child', { namespace: 'a', ownerReferences: [ownedBy(parent)] });
  const { objects } = simulateObjects([parent, child]);
  expect(objects).toEqual([parent]);
  expect(eventsOf(simulateObjects([parent, child]))).toEqual([
    `v1 Secret child: ownerRef [v1/ConfigMap, namespace: a, name: parent, uid: ${parent.uid}] does not exist in namespace "a"`,
  ]);
});

import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { parseRequests } from '../../../src/simulator/scenario.ts';
import { simulate } from '../../../src/simulator/simulate.ts';
import { builderOf, ownedBy, secret, snapshotOf } from '../../support/builders.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const hold = 'example.com/hold';

/** Deletes the definition of Widgets. */
function play(records: readonly ObjectRecord[]) {
  const request = {
    verb: 'delete',
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: 'widgets.example.com',
  };
  const now = Date.parse('2026-02-01T00:00:00Z');
  return simulate(snapshotOf(records), parseRequests([request], 'requests'), {}, { now });
}

describe('a CustomResourceDefinition', () => {
  test('takes its instances along, and their dependents', () => {
    const widgets = definition('widgets.example.com');
    const widget = builderOf('example.com/v1', 'Widget')('w');
    const child = secret('child', { ownerReferences: [ownedBy(widget)] });
    const { objects, ended } = play([widgets, widget, child]);
    expect({ objects, ended }).toEqual({ objects: [], ended: 'quiet' });
  });

  test('waits for an instance that a finalizer holds', () => {
    const widgets = definition('widgets.example.com');
    const widget = builderOf('example.com/v1', 'Widget')('w', { finalizers: [hold] });
    const { stuck } = play([widgets, widget]);
    expect(stuck.map(({ object, because }) => [object.name, because])).toEqual([
      ['widgets.example.com', 'instances of it are left'],
      ['w', `nothing that is simulated removes its finalizer ${hold}`],
    ]);
  });
});

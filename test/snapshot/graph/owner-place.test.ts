import { expect, test } from 'vitest';
import {
  type OwnerPlace,
  ownerPlaceIn,
  ownerPlaceOf,
} from '../../../src/snapshot/graph/owner-place.ts';
import { clusterRole, pod, servedTypes, widgets } from '../../support/builders.ts';

const dependent = pod('web-1', { namespace: 'shop' });
const role = clusterRole('reader');

function placeOf(text: string, from = dependent): OwnerPlace {
  const [apiVersion = '', kind = '', name = ''] = text.split(' ');
  return ownerPlaceOf(servedTypes, from, { apiVersion, kind, name });
}

const typeOf = (apiVersion: string, kind: string) => servedTypes.find(apiVersion, kind);

test('an owner is looked for in the namespace of what it owns, or in none', () => {
  expect([
    placeOf('apps/v1 ReplicaSet web'),
    placeOf('v1 Node worker'),
    placeOf('v1 Node worker', role),
  ]).toEqual([
    { end: 'at', type: typeOf('apps/v1', 'ReplicaSet'), namespace: 'shop' },
    { end: 'at', type: typeOf('v1', 'Node'), namespace: '' },
    { end: 'at', type: typeOf('v1', 'Node'), namespace: '' },
  ]);
});

test('a kind that maps to nothing freezes the dependent (GC-30)', () => {
  expect([placeOf('gone.example.com/v1 Gone x'), placeOf('apps/v1beta2 ReplicaSet web')]).toEqual([
    {
      end: 'frozen',
      outcome: 'unserved-kind',
      rule: 'GC-30',
      because: 'no API serves gone.example.com/v1 Gone',
    },
    {
      end: 'frozen',
      outcome: 'unserved-version',
      rule: 'GC-30',
      because:
        'apps/v1beta2 does not serve ReplicaSet; v1 of its group does, and the garbage collector never tries another version',
    },
  ]);
});

test('a cluster-scoped object has no namespace to look in, for lists neither (GC-45)', () => {
  const frozen = (kind: string, who = 'ClusterRole') => ({
    end: 'frozen',
    outcome: 'namespaced-owner-of-cluster-object',
    rule: 'GC-45',
    because: `${who} is cluster-scoped, so there is no namespace in which to look for ${kind} x`,
  });
  const unnamed = { type: { namespaced: false }, namespace: '' };
  expect([
    placeOf('v1 Pod x', role),
    placeOf('v1 PodList x', role),
    ownerPlaceIn(widgets, unnamed, { apiVersion: 'example.com/v1', kind: 'Widget', name: 'x' }),
  ]).toEqual([frozen('Pod'), frozen('PodList'), frozen('Widget', 'what names it')]);
});

test('what can never be found is gone (GC-29)', () => {
  expect([placeOf('v1 PodList x'), placeOf('v1 Binding x')]).toEqual([
    {
      end: 'gone',
      outcome: 'list-kind',
      rule: 'GC-29',
      namespaced: true,
      because: 'PodList is a list, and a GET of one finds nothing',
    },
    {
      end: 'gone',
      outcome: 'not-gettable',
      rule: 'GC-29',
      namespaced: true,
      because: 'Binding objects cannot be read back, so none is ever found',
    },
  ]);
});

test('a name that no path can hold leads elsewhere (GC-27)', () => {
  expect(placeOf('v1 ConfigMap ..')).toEqual({
    end: 'unknown',
    outcome: 'not-a-name',
    rule: 'GC-27',
    because:
      'no object can be called "..": the collector\'s request for this ConfigMap goes to another path, and what it meets there was not read',
  });
});

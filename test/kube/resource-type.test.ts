import { describe, expect, test } from 'vitest';
import {
  apiVersionOf,
  groupResourceOf,
  isEventType,
  isMonitored,
  parseApiVersion,
  printedKindOf,
} from '../../src/kube/resource-type.ts';
import { customType, deployment, event, pod, widgets } from '../support/builders.ts';

test('a kind of the core group is written without a group', () => {
  const { type } = pod('web-1');
  expect([apiVersionOf(type), groupResourceOf(type), printedKindOf(type)]).toEqual([
    'v1',
    'pods',
    'pod',
  ]);
});

test('a kind of any other group is written with it', () => {
  const { type } = deployment('web');
  expect([apiVersionOf(type), groupResourceOf(type), printedKindOf(type)]).toEqual([
    'apps/v1',
    'deployments.apps',
    'deployment.apps',
  ]);
});

describe('an apiVersion splits at its only slash', () => {
  test.each([
    ['v1', { group: '', version: 'v1' }],
    ['apps/v1', { group: 'apps', version: 'v1' }],
    ['apps/', { group: 'apps', version: '' }],
    ['', { group: '', version: '' }],
    ['shop/v1/extra', undefined],
  ])('%j', (apiVersion, parsed) => {
    expect(parseApiVersion(apiVersion)).toEqual(parsed);
  });
});

test('Events are Events under both of their groups', () => {
  const inGroup = (group: string) => isEventType({ group, resource: 'events' });
  expect(['', 'events.k8s.io', 'example.com'].map(inGroup)).toEqual([true, true, false]);
});

test('the collector watches what it can list, watch and delete, but no Events', () => {
  const without = (verb: string) =>
    customType('orders.example.com/v1 Order', {
      verbs: widgets.verbs.filter((other) => other !== verb),
    });
  const types = [widgets, without('get'), ...['delete', 'list', 'watch'].map(without)];
  expect([...types, event('web-1.scheduled').type].map(isMonitored)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

import { expect, test } from 'vitest';
import {
  knownClaimsOf,
  knownNodeOf,
  knownVolumesOf,
  nodeNameOf,
  notRead,
  volumesOf,
} from '../../src/kube/pod-use.ts';
import { pod } from '../support/builders.ts';

const data = { name: 'data', claimName: 'c1' };
const scratch = { name: 'scratch', ephemeral: true };

test.each([
  ['only metadata', undefined, [notRead, undefined, notRead, [], []]],
  ['only the status', { phase: 'Running' }, [notRead, undefined, notRead, [], []]],
  ['an unscheduled pod', { nodeName: '' }, ['', undefined, [], [], []]],
  [
    'a scheduled pod',
    { nodeName: 'worker', volumes: [data, scratch] },
    ['worker', 'worker', [data, scratch], [data, scratch], ['c1', 'web-scratch']],
  ],
])('what is known where %s was read', (_, facts, known) => {
  const web = pod('web', { facts });
  expect([
    nodeNameOf(web),
    knownNodeOf(web),
    volumesOf(web),
    knownVolumesOf(web),
    knownClaimsOf(web),
  ]).toEqual(known);
});

test('the compiler does not let code take an unread node or volume for none', () => {
  const web = pod('web');
  // @ts-expect-error: facts that may be unread have no node to ask for.
  expect(web.facts?.nodeName ?? '').toBe('');
  // @ts-expect-error: nor volumes.
  expect(web.facts?.volumes ?? []).toEqual([]);
  // @ts-expect-error: what may be unread is no string.
  const name: string = nodeNameOf(web);
  expect(name).toBe(notRead);
});

import { expect, test } from 'vitest';
import type { ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
import { reviewingOnce } from '../../src/cluster/write/access-reviews.ts';
import { nowhere } from '../../src/kube/shell-command.ts';
import {
  accessRefusals,
  accessReviews,
  askAccessAhead,
  checkAccess,
} from '../../src/perform/check-access.ts';
import { interruptionBy } from '../../src/perform/interrupted.ts';
import { configMap, gadget, pod, servedTypes } from '../support/builders.ts';
import { dropped } from './send/fake-cluster.ts';
import { requestFor } from './send/plans.ts';

interface Attributes {
  readonly namespace: string;
  readonly verb: string;
  readonly resource: string;
  readonly name?: string;
}

/** A server that permits what `decide` says; what it throws is a failure of the connection. */
function server(decide: (asked: Attributes) => object) {
  const asked: string[] = [];
  const client: ClusterClient = {
    server: 'https://shop.example.com',
    namespace: 'default',
    request: async ({ body = '' }) => {
      const { resourceAttributes } = JSON.parse(body).spec;
      const { verb, resource, namespace, name = '*' } = resourceAttributes;
      asked.push(`${verb} ${resource} ${namespace} ${name}`);
      const status = decide(resourceAttributes);
      async function* chunks() {
        yield new TextEncoder().encode(JSON.stringify({ status }));
      }
      return { status: 201, headers: {}, body: chunks() };
    },
    close: () => undefined,
  };
  return { client, asked };
}

const requests = [configMap('a'), configMap('b'), gadget('g')].map((record) => requestFor(record));

test('each kind in each namespace is asked for once', async () => {
  const { client, asked } = server(() => ({ allowed: true }));
  expect(await accessReviews(client, requests, servedTypes)).toEqual({ unallowed: [], notes: [] });
  expect(asked.sort()).toEqual([
    'delete configmaps shop *',
    'delete gadgets  *',
    'list configmaps shop *',
    'list gadgets  *',
    'watch configmaps shop *',
    'watch gadgets  *',
  ]);
});

test('what was asked ahead is not asked again before the requests', async () => {
  const { client, asked } = server(() => ({ allowed: true }));
  const cluster = { client: reviewingOnce(client), types: servedTypes, place: nowhere };
  const interruption = interruptionBy(new AbortController().signal);
  askAccessAhead([configMap('a')], cluster, interruption, false);
  const ahead = ['delete configmaps shop *', 'list configmaps shop *', 'watch configmaps shop *'];
  await checkAccess([requestFor(configMap('a'))], cluster, () => undefined, interruption);
  expect(asked.toSorted()).toEqual(ahead);
  await checkAccess(requests, cluster, () => undefined, interruption);
  expect(asked.slice(3).sort()).toEqual([
    'delete gadgets  *',
    'list gadgets  *',
    'watch gadgets  *',
  ]);
});

test('of a plan that is only shown, the deletions are asked about, and nothing again', async () => {
  const { client, asked } = server(() => ({ allowed: true }));
  const cluster = { client: reviewingOnce(client), types: servedTypes, place: nowhere };
  const interruption = interruptionBy(new AbortController().signal);
  askAccessAhead([configMap('a')], cluster, interruption, true);
  const plan = { requests: [requestFor(configMap('a'))] };
  expect(await accessRefusals(plan, cluster, interruption)).toEqual([]);
  expect(asked).toEqual(['delete configmaps shop *']);
});

test('what was denied ahead is denied', async () => {
  const { client, asked } = server(({ verb }) => ({ allowed: verb !== 'delete' }));
  const once = reviewingOnce(client);
  const interruption = interruptionBy(new AbortController().signal);
  const cluster = { client: once, types: servedTypes, place: nowhere };
  askAccessAhead([gadget('g')], cluster, interruption, false);
  const { unallowed } = await accessReviews(once, [requestFor(gadget('g'))], servedTypes);
  expect(unallowed.map(({ resource, answer }) => [resource, answer])).toEqual([
    ['gadgets', 'denied'],
  ]);
  expect(asked.filter((line) => line === 'delete gadgets  *')).toHaveLength(1);
});

test('where a kind is not permitted, names may be', async () => {
  const { client } = server(({ resource, name, verb }) => ({
    allowed: verb !== 'delete' || resource === 'gadgets' || name === 'a',
    reason: 'a policy says so',
  }));
  const { unallowed } = await accessReviews(client, requests, servedTypes);
  expect(unallowed).toEqual([
    {
      group: '',
      resource: 'configmaps',
      namespace: 'shop',
      name: 'b',
      answer: 'denied',
      reason: 'it is not permitted to delete configmaps/b in the namespace shop: a policy says so',
    },
  ]);
});

test('many names are not asked for one by one', async () => {
  const many = Array.from({ length: 21 }, (_, index) => requestFor(pod(`web-${index}`)));
  const { client, asked } = server(() => ({ allowed: false }));
  const { unallowed, notes } = await accessReviews(client, many, servedTypes);
  expect(unallowed.map(({ name, answer }) => [name, answer])).toEqual([[undefined, 'denied']]);
  expect(notes).toEqual(['pods in shop may not be listed: each object is looked at by name']);
  expect(asked).toHaveLength(3);
});

test('what may not be watched is a note, not a refusal', async () => {
  const { client } = server(({ verb }) => ({ allowed: verb !== 'watch' }));
  expect(await accessReviews(client, requests.slice(0, 1), servedTypes)).toEqual({
    unallowed: [],
    notes: ['configmaps in shop may not be watched: they are listed again and again'],
  });
});

test('no answer is no permission', async () => {
  const { client } = server(() => {
    throw dropped();
  });
  const gone = requestFor(configMap('x'), { apiVersion: 'gone.example.com/v1', kind: 'Gone' });
  const { unallowed } = await accessReviews(client, [gone, ...requests.slice(0, 1)], servedTypes);
  expect(unallowed.map(({ resource, answer, reason }) => [resource, answer, reason])).toEqual([
    ['Gone', 'unknown', 'Gone is not served any more'],
    ['configmaps', 'unknown', 'the connection was closed before the answer was complete'],
  ]);
});

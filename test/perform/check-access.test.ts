import { expect, test } from 'vitest';
import { reviewingOnce } from '../../src/cluster/write/access-reviews.ts';
import { nowhere } from '../../src/kube/shell-command.ts';
import { askAccessAhead, checkAccess, unallowedRequests } from '../../src/perform/check-access.ts';
import { interruptionBy } from '../../src/perform/interrupted.ts';
import { clientThat } from '../cluster/fake-client.ts';
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
  const client = clientThat(({ body = '' }) => {
    const { resourceAttributes } = JSON.parse(body).spec;
    const { verb, resource, namespace, name = '*' } = resourceAttributes;
    asked.push(`${verb} ${resource} ${namespace} ${name}`);
    return { status: 201, body: { status: decide(resourceAttributes) } };
  });
  return { client, asked };
}

const requests = [configMap('a'), configMap('b'), gadget('g')].map((record) => requestFor(record));

test('each kind in each namespace is asked for once', async () => {
  const { client, asked } = server(() => ({ allowed: true }));
  expect(await unallowedRequests(client, requests, servedTypes)).toEqual([]);
  expect(asked.sort()).toEqual(['delete configmaps shop *', 'delete gadgets  *']);
});

test('what was asked ahead is not asked again before the requests', async () => {
  const { client, asked } = server(() => ({ allowed: true }));
  const cluster = { client: reviewingOnce(client), types: servedTypes, place: nowhere };
  const interruption = interruptionBy(new AbortController().signal);
  askAccessAhead([configMap('a')], cluster, interruption);
  await checkAccess([requestFor(configMap('a'))], cluster, () => undefined, interruption);
  expect(asked).toEqual(['delete configmaps shop *']);
  await checkAccess(requests, cluster, () => undefined, interruption);
  expect(asked.slice(1)).toEqual(['delete gadgets  *']);
});

test('what was denied ahead is denied', async () => {
  const { client, asked } = server(({ verb }) => ({ allowed: verb !== 'delete' }));
  const once = reviewingOnce(client);
  const interruption = interruptionBy(new AbortController().signal);
  askAccessAhead([gadget('g')], { client: once, types: servedTypes, place: nowhere }, interruption);
  const unallowed = await unallowedRequests(once, [requestFor(gadget('g'))], servedTypes);
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
  const unallowed = await unallowedRequests(client, requests, servedTypes);
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
  const unallowed = await unallowedRequests(client, many, servedTypes);
  expect(unallowed.map(({ name, answer }) => [name, answer])).toEqual([[undefined, 'denied']]);
  expect(asked).toHaveLength(1);
});

test('no answer is no permission', async () => {
  const { client } = server(() => {
    throw dropped();
  });
  const gone = requestFor(configMap('x'), { apiVersion: 'gone.example.com/v1', kind: 'Gone' });
  const unallowed = await unallowedRequests(client, [gone, ...requests.slice(0, 1)], servedTypes);
  expect(unallowed.map(({ resource, answer, reason }) => [resource, answer, reason])).toEqual([
    ['Gone', 'unknown', 'Gone is not served any more'],
    ['configmaps', 'unknown', 'the connection was closed before the answer was complete'],
  ]);
});

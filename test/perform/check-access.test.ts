import { expect, test } from 'vitest';
import type { ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
import { reviewingOnce } from '../../src/cluster/write/access-reviews.ts';
import { nowhere } from '../../src/command-line/shell-command.ts';
import type { PlannedRequest } from '../../src/deletion/plan/plan.ts';
import { type ObjectReference, referenceTo } from '../../src/kube/object-reference.ts';
import {
  askAccessAhead,
  checkAccess,
  checkFixAccess,
  deniedRequests,
} from '../../src/perform/check-access.ts';
import { clientThat } from '../cluster/fake-client.ts';
import { configMap, gadget, pod, servedTypes } from '../support/builders.ts';
import { dropped, failure } from './send/fake-cluster.ts';
import { requestFor } from './send/plans.ts';

interface Attributes {
  readonly namespace: string;
  readonly verb: string;
  readonly resource: string;
  readonly name?: string;
}

/** A server that permits what `decide` says and refuses each DELETE; what is thrown is a failure of the connection. */
function server(decide: (asked: Attributes) => object) {
  const [asked, deletes]: [string[], string[]] = [[], []];
  const client = clientThat(({ method, path, body = '' }) => {
    if (method === 'DELETE') {
      deletes.push(path);
      return failure(403, 'Forbidden', 'no');
    }
    const { resourceAttributes } = JSON.parse(body).spec;
    const { verb, resource, namespace, name = '*' } = resourceAttributes;
    asked.push(`${verb} ${resource} ${namespace} ${name}`);
    return { status: 201, body: { status: decide(resourceAttributes) } };
  });
  return { client, asked, deletes };
}

const { signal } = new AbortController();

const denied = (client: ClusterClient, asked: readonly PlannedRequest[]) =>
  deniedRequests(asked, { client, types: servedTypes }, signal);

const requests = [configMap('a'), configMap('b'), gadget('g')].map((record) => requestFor(record));

test('access to each kind in each namespace is reviewed once', async () => {
  const { client, asked } = server(() => ({ allowed: true }));
  expect(await denied(client, requests)).toEqual([]);
  expect(asked.sort()).toEqual(['delete configmaps shop *', 'delete gadgets  *']);
});

test('an early access review is not repeated before the requests', async () => {
  const { client, asked } = server(() => ({ allowed: true }));
  const cluster = { client: reviewingOnce(client), types: servedTypes, place: nowhere };
  askAccessAhead([configMap('a')], cluster, signal);
  await checkAccess([requestFor(configMap('a'))], cluster, () => undefined, signal);
  expect(asked).toEqual(['delete configmaps shop *']);
  await checkAccess(requests, cluster, () => undefined, signal);
  expect(asked.slice(1)).toEqual(['delete gadgets  *']);
});

test('an early denial of access counts', async () => {
  const { client, asked } = server(({ verb }) => ({ allowed: verb !== 'delete' }));
  const once = reviewingOnce(client);
  askAccessAhead([gadget('g')], { client: once, types: servedTypes, place: nowhere }, signal);
  const refused = await denied(once, [requestFor(gadget('g'))]);
  expect(refused.map(({ type }) => type.resource)).toEqual(['gadgets']);
  expect(asked.filter((line) => line === 'delete gadgets  *')).toHaveLength(1);
});

test('if a kind is denied, access to single names is reviewed', async () => {
  const { client } = server(({ resource, name, verb }) => ({
    allowed: verb !== 'delete' || resource === 'gadgets' || name === 'a',
    reason: 'a policy says so',
  }));
  expect(await denied(client, requests)).toEqual([
    {
      verb: 'delete',
      type: configMap('b').type,
      namespace: 'shop',
      name: 'b',
      reason: expect.stringMatching(/ configmaps\/b .*: a policy says so$/),
    },
  ]);
});

test('many names are not asked for one by one', async () => {
  const many = Array.from({ length: 21 }, (_, index) => requestFor(pod(`web-${index}`)));
  const { client, asked } = server(() => ({ allowed: false }));
  expect((await denied(client, many)).map(({ name }) => name)).toEqual([undefined]);
  expect(asked).toHaveLength(1);
});

test('without an answer of the access review, the request is sent, and its answer counts', async () => {
  const { client, asked } = server(() => {
    throw dropped();
  });
  const gone = requestFor(configMap('x'), { apiVersion: 'gone.example.com/v1', kind: 'Gone' });
  expect(await denied(client, [gone, ...requests.slice(0, 1)])).toEqual([]);
  expect(new Set(asked)).toEqual(new Set(['delete configmaps shop *']));
});

test.each([
  ['each', [configMap('a'), pod('web')], 2],
  ['no more than ten', Array.from({ length: 12 }, (_, index) => pod(`web-${index}`)), 10],
])(
  'of the denied requests %s is rehearsed, and the answer of the server is reported',
  async (_, refused, count) => {
    const names = new Set(refused.map(({ type, name }) => `${type.resource} ${name}`));
    const { client, deletes } = server(({ namespace, resource, name }) => ({
      allowed: namespace !== 'shop' || (name !== undefined && !names.has(`${resource} ${name}`)),
    }));
    const lines: string[] = [];
    const elsewhere = configMap('a', { namespace: 'ops' });
    const all = [configMap('b'), configMap('web'), elsewhere, ...refused].map((record) =>
      requestFor(record),
    );
    const cluster = { client, types: servedTypes, place: nowhere };
    const checked = checkAccess(all, cluster, (line) => lines.push(line), signal);
    await expect(checked).rejects.toMatchObject({ code: 'not-permitted' });
    const paths = refused.map(
      ({ type, name }) => `/api/v1/namespaces/shop/${type.resource}/${name}?dryRun=All`,
    );
    expect(deletes).toEqual(paths.slice(0, count));
    expect(lines).toHaveLength(count);
  },
);

test('a fix is refused where its verb is denied, and not for a kind that is not served', async () => {
  const { client, asked } = server(({ verb }) => ({ allowed: verb === 'patch' }));
  const checked = (verb: 'patch' | 'update', object: ObjectReference) =>
    checkFixAccess([{ verb, object }], { client, types: servedTypes, place: nowhere }, signal);
  const object = referenceTo(configMap('a'));
  await checked('patch', object);
  await checked('update', { ...object, apiVersion: 'gone.example.com/v1', kind: 'Gone' });
  expect(asked).toEqual(['patch configmaps shop *']);
  await expect(checked('update', object)).rejects.toMatchObject({ code: 'not-permitted' });
});

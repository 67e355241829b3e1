import { expect, test } from 'vitest';
import type { ObjectPatch } from '../../../src/audit/fixes.ts';
import type { ApiRequest, ClusterClient } from '../../../src/cluster/connection/cluster-client.ts';
import { GcError } from '../../../src/errors.ts';
import { applyPatches, type PatchResult } from '../../../src/perform/send/patch-references.ts';
import { patience } from '../../cluster/fake-client.ts';
import { servedTypes } from '../../support/builders.ts';

const patch: ObjectPatch = {
  object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u' },
  patch: [{ op: 'test', path: '/metadata/uid', value: 'u' }],
};

function clientAnswering(status: number, body: string, requests: ApiRequest[] = []): ClusterClient {
  const type = body.startsWith('{') ? 'application/json' : 'text/plain; charset=utf-8';
  return {
    server: 'https://shop.example.com',
    namespace: 'default',
    request: async (request) => {
      requests.push(request);
      // In two pieces, as a network may deliver it.
      const bytes = new TextEncoder().encode(body);
      async function* pieces() {
        yield bytes.subarray(0, 5);
        yield bytes.subarray(5);
      }
      return { status, headers: { 'content-type': type }, body: pieces() };
    },
    close: () => undefined,
  };
}

async function apply(client: ClusterClient, object: ObjectPatch, dryRun = false) {
  const results: PatchResult[] = [];
  const options = { dryRun, retry: patience() };
  for await (const result of applyPatches(client, servedTypes, [object], options)) {
    results.push(result);
  }
  return results;
}

async function resultOf(status: number, body: unknown) {
  const client = clientAnswering(
    status,
    typeof body === 'string' ? body : JSON.stringify({ kind: 'Status', ...Object(body) }),
  );
  const { patch: patched, ...result } = (await apply(client, patch))[0] ?? {};
  expect(patched).toBe(patch);
  return result;
}

test('the patch is sent as a JSON patch under our name, and rehearsed when asked', async () => {
  const requests: ApiRequest[] = [];
  const client = clientAnswering(200, '{}', requests);
  for (const dryRun of [true, false]) await apply(client, patch, dryRun);
  const path = '/apis/apps/v1/namespaces/shop/deployments/web?fieldManager=kubectl-gc';
  expect(requests.map((request) => request.path)).toEqual([`${path}&dryRun=All`, path]);
  expect(requests[1]).toEqual({
    method: 'PATCH',
    path,
    headers: { 'content-type': 'application/json-patch+json', accept: 'application/json' },
    body: JSON.stringify(patch.patch),
  });
});

// Messages as v1.36.3 writes them.
test.each([
  ['taken', 200, {}, { outcome: 'patched', message: undefined }],
  [
    'an object that is gone',
    404,
    { message: 'deployments.apps "web" not found', details: { name: 'web' } },
    { outcome: 'gone', message: 'deployments.apps "web" not found' },
  ],
  ['a lost race', 409, { message: 'conflict' }, { outcome: 'changed', message: 'conflict' }],
  [
    'a test that fails',
    422,
    {
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
    },
    { outcome: 'changed', message: 'its uid or its references are not what they were' },
  ],
  [
    'an object that would be invalid',
    422,
    { message: 'Deployment "web" is invalid: …', details: { causes: [{ field: 'spec' }] } },
    { outcome: 'refused', message: 'Deployment "web" is invalid: …' },
  ],
  ['no permission', 403, { message: 'no' }, { outcome: 'refused', message: 'no' }],
  ['an answer that is no JSON', 502, 'Bad gateway', { outcome: 'refused', message: 'Bad gateway' }],
])('an answer is understood: %s', async (_, status, body, result) => {
  expect(await resultOf(status, body)).toEqual(result);
});

test('a kind that is served no more is not asked for', async () => {
  const gone = { ...patch, object: { ...patch.object, kind: 'Gone' } };
  expect(await apply(clientAnswering(200, '{}'), gone)).toEqual([
    { patch: gone, outcome: 'refused', message: 'Gone is not served any more' },
  ]);
});

test('a server that cannot be reached ends it, after what became of the patch was told', async () => {
  const outcomesOf = async (signal: AbortSignal) => {
    const client: ClusterClient = {
      ...clientAnswering(200, '{}'),
      request: async () => {
        if (signal !== never) stop.abort();
        throw new GcError('there is no such host', { code: 'unknown-host' });
      },
    };
    const outcomes: string[] = [];
    const options = { dryRun: false, retry: patience(), signal };
    try {
      for await (const one of applyPatches(client, servedTypes, [patch, patch], options)) {
        outcomes.push(one.outcome);
      }
      return [...outcomes, 'no error'];
    } catch (error) {
      return [...outcomes, String((error as Error).message)];
    }
  };
  const stop = new AbortController();
  const never = new AbortController().signal;
  expect(await outcomesOf(never)).toEqual(['not-sent', 'there is no such host']);
  // The interruption is what ends it then.
  expect(await outcomesOf(stop.signal)).toEqual(['not-sent', 'no error']);
});

test('a rehearsal that is ended says nothing, and a patch that was sent is told', async () => {
  const resultsOf = async (dryRun: boolean) => {
    const stop = new AbortController();
    const client = clientAnswering(200, '{"kind":"Deployment","metadata":{}}');
    const ending: ClusterClient = {
      ...client,
      request: (request) => {
        stop.abort();
        return client.request(request);
      },
    };
    const outcomes: string[] = [];
    const options = { dryRun, retry: patience(), signal: stop.signal };
    const patches = [patch, patch];
    for await (const one of applyPatches(ending, servedTypes, patches, options)) {
      outcomes.push(one.outcome);
    }
    return outcomes;
  };
  expect([await resultsOf(true), await resultsOf(false)]).toEqual([[], ['patched']]);
});

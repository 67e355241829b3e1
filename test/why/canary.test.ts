import { expect, test } from 'vitest';
import type { ApiRequest } from '../../src/cluster/connection/cluster-client.ts';
import { type Canary, flyCanary } from '../../src/why/ask/canary.ts';
import { type Answer, clientThat } from '../cluster/fake-client.ts';

interface Behaviour {
  readonly collects: boolean;
  /** Answers a DELETE of the owner with this status. */
  readonly deletion?: number;
  readonly creation?: number;
}

/** A server that holds ConfigMaps by name, and a collector behind it or none. */
function fake({ collects, deletion = 200, creation = 201 }: Behaviour) {
  const held = new Map<string, string>();
  const client = clientThat(answer);
  return { client, held };

  function answer({ method, path, body }: ApiRequest): Answer {
    const name = path.split('/')[6] ?? '';
    if (method === 'POST') {
      if (creation !== 201)
        return reply(creation, { kind: 'Status', message: 'configmaps is forbidden' });
      const made = `canary-${held.size + 1}`;
      held.set(made, body ?? '');
      return reply(201, { metadata: { name: made, uid: `uid-${made}` } });
    }
    if (method === 'DELETE') {
      if (deletion !== 200) return reply(deletion, {});
      if (!held.delete(name)) return reply(404, gone);
      if (collects) held.clear();
      return reply(200, { kind: 'Status' });
    }
    return held.has(name) ? reply(200, { kind: 'ConfigMap' }) : reply(404, gone);
  }
}

const gone = { kind: 'Status', details: { name: 'canary' } };

function reply(status: number, body: object): Answer {
  return { status, body };
}

const options = { namespace: 'shop', patience: 60 };

test.each<[string, Behaviour, Partial<Canary>, number]>([
  ['collected', { collects: true }, { milliseconds: expect.any(Number) }, 0],
  ['left without a collector', { collects: false }, {}, 0],
  [
    'left after failed clean-up',
    { collects: false, deletion: 403 },
    {
      left: ['configmap/canary-2 in shop', 'configmap/canary-1 in shop'],
    },
    2,
  ],
])('the dependent is %s', async (_, behaviour, told, left) => {
  const { client, held } = fake(behaviour);
  const state = behaviour.collects ? 'collected' : 'not-collected';
  expect(await flyCanary(client, options)).toEqual({
    state,
    because: expect.any(String),
    left: [],
    ...told,
  });
  expect(held.size).toBe(left);
});

test('an interruption ends the wait, not the cleaning up', async () => {
  const { client, held } = fake({ collects: false });
  const interrupted = { patience: 60_000, signal: AbortSignal.abort() };
  const canary = await flyCanary(client, { ...options, ...interrupted });
  expect([canary.because, canary.left, held.size]).toEqual(['the wait was interrupted', [], 0]);
});

test('what the API server refuses is said', async () => {
  const noDeletion = await flyCanary(fake({ collects: false, deletion: 403 }).client, options);
  const notCreated = await flyCanary(fake({ collects: true, creation: 403 }).client, options);
  expect([notCreated.state, notCreated.left]).toEqual(['not-created', []]);
  expect([noDeletion.because, notCreated.because].join('\n')).toMatchInlineSnapshot(`
    "its owner could not be deleted: HTTP status 403
    a ConfigMap could not be created in shop: configmaps is forbidden"
  `);
});

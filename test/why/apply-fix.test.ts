import { describe, expect, test } from 'vitest';
import { defaultRetryPolicy } from '../../src/cluster/pacing.ts';
import { Clearance } from '../../src/cluster/write/clearance.ts';
import { type KubeObject, recordOf } from '../../src/kube/record-codec.ts';
import { rehearse } from '../../src/why/ask/answer-from-cluster.ts';
import { applyFixStep } from '../../src/why/fix/apply-fix.ts';
import {
  deleteExactly,
  finalizeNamespace,
  patchOf,
  removeFinalizer,
  stopBlocking,
  undoneBy,
} from '../../src/why/fix-request.ts';
import type { Rehearsal } from '../../src/why/inquiry.ts';
import { type Answer, clientThat, refusal } from '../cluster/fake-client.ts';
import { builderOf, configMap, ownedBy } from '../support/builders.ts';

/** Answers every request alike and keeps what was sent. */
function recorder(status: number, answer: object = {}) {
  const client = clientThat(() => ({ status, body: { kind: 'Status', ...answer } }));
  return { client, sent: client.requests };
}

const record = configMap('x', { finalizers: ['a.example.com/b', 'c.example.com/d'] });
const node = '/api/v1/nodes/gone';
const { onlyWithout: _, ...deletion } = deleteExactly(record, 'delete it', 'none', node);
const clearance = Clearance.grant('fix', {
  uids: [record.uid, 'uid-shop'],
  agreed: 'flag',
  saved: new Map(),
});
const removal = removeFinalizer(record, 'c.example.com/d', 'none');

test('a deletion is bound to the version that was read, where it is known', () => {
  const seen = configMap('x', { resourceVersion: '7' });
  expect(deleteExactly(seen, 'delete it', 'none', node).body).toMatchObject({
    preconditions: { uid: seen.uid, resourceVersion: '7' },
  });
});

test('a deletion and a removed finalizer are undone by another object, references to living owners by themselves, and no step makes a dependent block once more', () => {
  const blocks = { ...ownedBy(record), blockOwnerDeletion: true };
  const blocking = stopBlocking(configMap('y', { ownerReferences: [blocks] }), record);
  const references = patchOf(record, '', '', [
    { op: 'test', path: '/metadata/uid', value: record.uid },
    { op: 'remove', path: '/metadata/ownerReferences' },
  ]);
  const loses = { ...references, losesOwner: true };
  expect([deletion, removal, loses, references, blocking].map(undoneBy)).toEqual([
    'creation',
    'creation',
    'references',
    'nothing',
    'nothing',
  ]);
});

test('a dry run of a deletion says so in its body, where alone the server looks', async () => {
  const { client, sent } = recorder(200);
  await applyFixStep(client, deletion, undefined, {});
  const { type, namespace, name } = record;
  await rehearse(client, { verb: 'delete', type, namespace, name, body: deletion.body });
  await applyFixStep(client, deletion, clearance, {});
  const preconditions = { uid: 'uid-configmap-shop-x' };
  expect(sent.map(({ body }) => JSON.parse(body ?? ''))).toEqual([
    expect.objectContaining({ preconditions, dryRun: ['All'] }),
    expect.objectContaining({ preconditions, dryRun: ['All'] }),
    {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions,
      propagationPolicy: 'Background',
    },
  ]);
});

test('one finalizer is removed, guarded by uid and by that very entry', async () => {
  const { client, sent } = recorder(200);
  expect(await applyFixStep(client, removal, undefined, {})).toEqual({
    outcome: 'applied',
    message: undefined,
  });
  expect(sent[0]?.path).toBe(
    '/api/v1/namespaces/shop/configmaps/x?fieldManager=kubectl-gc&dryRun=All',
  );
  expect(JSON.parse(sent[0]?.body ?? '')).toEqual([
    { op: 'test', path: '/metadata/uid', value: 'uid-configmap-shop-x' },
    { op: 'test', path: '/metadata/finalizers/1', value: 'c.example.com/d' },
    { op: 'remove', path: '/metadata/finalizers/1' },
  ]);
});

test.each([
  [404, { message: 'not there', details: { name: 'x' } }, 'gone'],
  [409, { message: 'uid differs' }, 'changed'],
  [422, { message: 'rejected' }, 'changed'],
  [422, { message: 'invalid', details: { causes: [{}] } }, 'refused'],
  [403, { message: 'no' }, 'refused'],
])('HTTP status %i has its outcome', async (status, answer, outcome) => {
  const { client } = recorder(status, answer);
  expect((await applyFixStep(client, removal, clearance, {})).outcome).toBe(outcome);
});

test.each([
  [302, {}],
  [403, {}],
  [429, { reason: 'TooManyRequests', message: 'later' }],
  [504, { reason: 'Timeout', message: 'no time' }],
])('an answer of %i is no refusal', async (status, told) => {
  const { type, namespace, name } = record;
  const { client } = recorder(status, told);
  const options = { retry: { ...defaultRetryPolicy, tries: 1 } };
  const answer = await rehearse(
    client,
    { verb: 'patch', type, namespace, name, body: [] },
    options,
  );
  expect(answer).not.toHaveProperty('value');
});

test('a webhook that cannot be rehearsed proves nothing', async () => {
  const message = 'admission webhook "x" does not support dry run';
  const { client } = recorder(400, { kind: 'Status', message });
  const { type, namespace, name } = record;
  const answer = await rehearse(client, { verb: 'patch', type, namespace, name, body: [] });
  expect('message' in answer && answer.message).toBe(message);
  const refused = recorder(403, { kind: 'Status', message: 'admission webhook "y" denied' });
  const told = await rehearse(refused.client, { verb: 'patch', type, namespace, name, body: [] });
  expect('value' in told && (told.value as Rehearsal).accepted).toBe(false);
});

test('what must be gone is asked for right before, and the step is not sent while it is there', async () => {
  const step = deleteExactly(record, 'delete it', 'none', node);
  const [there, page] = [recorder(200), recorder(404)];
  const answers = await Promise.all(
    [there, page].map(({ client }) => applyFixStep(client, step, clearance, {})),
  );
  expect(there.sent.map(({ path }) => path)).toEqual([node]);
  expect(
    answers.map(({ outcome, message }) => `${outcome}: ${message}`).join('\n'),
  ).toMatchInlineSnapshot(`
    "changed: /api/v1/nodes/gone is not certainly gone (HTTP status 200)
    changed: /api/v1/nodes/gone is not certainly gone (HTTP status 404)"
  `);
  const gone = recorder(404, { details: { name: 'gone' } });
  await applyFixStep(gone.client, step, clearance, {});
  expect(gone.sent.map(({ path }) => path)).toEqual([node, '/api/v1/namespaces/shop/configmaps/x']);
});

describe('an entry of spec.finalizers of a namespace', () => {
  const { type } = builderOf('v1', 'Namespace')('shop');
  const stored: KubeObject = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: 'shop',
      uid: 'uid-shop',
      resourceVersion: '7',
      labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
      annotations: { 'example.com/billing': 'b-12' },
      finalizers: ['example.com/cloud-account'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'Tenant', name: 't', uid: 't' }],
      managedFields: [{ manager: 'tenants', operation: 'Update' }],
    },
    spec: { finalizers: ['example.com/tenant', 'kubernetes'] },
    status: { phase: 'Terminating', conditions: [{ type: 'NamespaceContentRemaining' }] },
  };
  const step = finalizeNamespace(recordOf(stored, type), 'kubernetes');

  /** A server that has this namespace by now; the bodies of what is sent. */
  async function applied(now: Answer, dryRun = false) {
    const client = clientThat(({ method }) => (method === 'PUT' ? { body: stored } : now));
    const { outcome } = await applyFixStep(client, step, dryRun ? undefined : clearance, {});
    const puts = client.requests.filter(({ method = 'GET' }) => method !== 'GET');
    return { outcome, puts: puts.map(({ path, body = '' }) => [path, JSON.parse(body)]) };
  }

  test('an entry of spec.finalizers is removed by a PUT of the whole namespace as it is then', async () => {
    const changed = { ...stored, spec: { finalizers: ['example.com/tenant'] } };
    const path = '/api/v1/namespaces/shop/finalize?fieldManager=kubectl-gc';
    expect(await applied({ body: stored })).toEqual({
      outcome: 'applied',
      puts: [[path, changed]],
    });
    const rehearsed = [`${path}&dryRun=All`, changed];
    expect((await applied({ body: stored }, true)).puts).toEqual([rehearsed]);
  });

  const metadata = (changes: object) => ({
    body: { ...stored, metadata: { ...stored.metadata, ...changes } },
  });
  test.each([
    ['its namespace was replaced', metadata({ uid: 'other' }), 'changed'],
    ['it has changed', metadata({ resourceVersion: '8' }), 'changed'],
    [
      'the entry was removed',
      { body: { ...stored, spec: { finalizers: ['kubernetes'] } } },
      'changed',
    ],
    ['it was deleted', refusal(404, 'namespaces "shop" not found'), 'gone'],
    ['get is forbidden', refusal(403, 'namespaces "shop" is forbidden'), 'not-sent'],
  ])('an entry of spec.finalizers stays where %s', async (_, now, outcome) => {
    expect(await applied(now)).toEqual({ outcome, puts: [] });
  });
});

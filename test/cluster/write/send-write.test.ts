import { describe, expect, test } from 'vitest';
import { reviewAccess } from '../../../src/cluster/write/access-reviews.ts';
import { Clearance } from '../../../src/cluster/write/clearance.ts';
import {
  apiRequestOf,
  deletePlainly,
  type SendOptions,
  sendWrite,
} from '../../../src/cluster/write/send-write.ts';
import type { WriteAnswer } from '../../../src/cluster/write/write-answer.ts';
import { updateOf, type WriteRequest } from '../../../src/cluster/write/write-request.ts';
import { GcError } from '../../../src/errors.ts';
import { cleared } from '../../support/cleared.ts';
import { clientThat, patience } from '../fake-client.ts';

type Step = GcError | { status: number; body?: object | string; headers?: Record<string, string> };

/** A client that answers with these steps in turn, the last one again and again. */
function playing(...steps: readonly Step[]) {
  const client = clientThat(() => {
    const step = steps[Math.min(client.requests.length, steps.length) - 1];
    if (step === undefined || step instanceof GcError) throw step;
    const { body = '', headers } = step;
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    return { ...step, headers: { 'content-type': type, ...headers } };
  });
  return { client, requests: client.requests };
}

const path = '/api/v1/namespaces/shop/configmaps/a';
const deletion: WriteRequest = { verb: 'delete', path, guards: { uid: 'u' } };
const patch: WriteRequest = { verb: 'patch', path, patchType: 'json', body: [] };
const error = (code: string) => new GcError(code, { code });
const refused = (status: number, reason: string, message: string, details: object = {}) => ({
  status,
  body: { kind: 'Status', reason, message, details },
});
const conflict = refused(409, 'Conflict', 'modified');
const otherUid = 'the UID in the precondition';
const immutable = 'metadata.uid: Invalid value: "x"';
const taken = { status: 200, body: { kind: 'Status', details: { uid: 'u' } } };

/** How it ended, as words, and how long it was waited for. */
async function sent(write: WriteRequest, steps: readonly Step[], options: SendOptions = {}) {
  const { client, requests } = playing(...steps);
  const retry = patience();
  const answer = await sendWrite(client, cleared(write), { retry, ...options });
  const { outcome, code, message } = answer;
  return {
    told: `${outcome} ${code} ${message}`.trim(),
    tries: requests.length,
    waits: retry.waits,
  };
}
const toldOf = async (write: WriteRequest, step: Step) => (await sent(write, [step])).told;

describe('a request', () => {
  const contentOf = (write: WriteRequest) => JSON.parse(apiRequestOf(cleared(write)).body ?? '');

  test.each([
    ['create', 'POST', '?fieldManager=kubectl-gc&dryRun=All'],
    ['patch', 'PATCH', '?fieldManager=kubectl-gc&dryRun=All'],
    ['delete', 'DELETE', '?dryRun=All'],
  ] as const)('to %s may be a dry run', (verb, method, query) => {
    const request = apiRequestOf(cleared({ verb, path, dryRun: true, body: {} }));
    expect([request.method, request.path]).toEqual([method, path + query]);
  });

  test('to delete says all of its options in its body (GC-50)', () => {
    const body = { propagationPolicy: 'Orphan', gracePeriodSeconds: undefined };
    expect(contentOf({ ...deletion, body, dryRun: true })).toEqual({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Orphan',
      preconditions: { uid: 'u' },
      dryRun: ['All'],
    });
  });

  test('carries its guards as its verb can', () => {
    const guards = { uid: 'u', resourceVersion: '7' };
    const body = { metadata: { labels: { a: 'b' } }, spec: {} };
    expect([
      contentOf({ ...deletion, guards }).preconditions,
      contentOf({ ...patch, patchType: 'merge', guards, body }),
      contentOf({ ...patch, guards: { uid: 'u' }, body: [{ op: 'remove', path: '/spec' }] }),
    ]).toEqual([
      guards,
      { metadata: { labels: { a: 'b' }, ...guards }, spec: {} },
      [
        { op: 'test', path: '/metadata/uid', value: 'u' },
        { op: 'remove', path: '/spec' },
      ],
    ]);
  });

  test('to apply a part of an object is one of its manager, without force', () => {
    const body = { kind: 'ConfigMap', metadata: { labels: { a: 'b' } } };
    const apply: WriteRequest = { ...patch, patchType: 'apply', guards: { uid: 'u' }, body };
    expect(apiRequestOf(cleared(apply))).toMatchObject({
      method: 'PATCH',
      path: `${path}?fieldManager=kubectl-gc`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
    expect(contentOf(apply)).toEqual({ ...body, metadata: { labels: { a: 'b' }, uid: 'u' } });
  });

  test('asks for metadata only, and in another name, where that was wanted', () => {
    expect(apiRequestOf(cleared({ ...patch, metadataOnly: true, as: 'eve' })).headers).toEqual({
      'content-type': 'application/json-patch+json',
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
      'impersonate-user': 'eve',
    });
  });

  test('in a person’s own words goes as it is, once', async () => {
    const { client, requests } = playing({ status: 503 });
    const written = `${path}?pretty=1`;
    const clearance = Clearance.grant('raw', { path: written, refusals: [] });
    expect((await deletePlainly(client, clearance, written, 'x')).status).toBe(503);
    expect(requests.map(({ method, path: at, body }) => [method, at, body])).toEqual([
      ['DELETE', `${path}?pretty=1`, 'x'],
    ]);
  });
});

describe('an answer', () => {
  const writes: Readonly<Record<string, WriteRequest>> = {
    'a deletion': deletion,
    'a patch': patch,
    'a merge patch': { ...patch, patchType: 'merge' },
    'a creation': { ...patch, verb: 'create' },
  };
  const named = { name: 'a' };
  const invalid = { causes: [{ field: 'metadata.name' }] };
  test.each([
    ['done 200', 'a deletion', taken],
    ['gone 404 not found', 'a deletion', refused(404, 'NotFound', 'not found', named)],
    ['refused 404 404 page not found', 'a deletion', { status: 404, body: '404 page not found\n' }],
    ['refused 404 no namespace', 'a creation', refused(404, 'NotFound', 'no namespace', named)],
    [`changed 409 ${otherUid}`, 'a deletion', refused(409, 'Conflict', otherUid)],
    ['changed 409 modified', 'a patch', conflict],
    ['changed 422 a test', 'a patch', refused(422, 'Invalid', 'a test')],
    ['refused 422 bad', 'a patch', refused(422, 'Invalid', 'bad', invalid)],
    [`changed 422 ${immutable}`, 'a merge patch', refused(422, 'Invalid', immutable)],
    ['refused 403 no', 'a deletion', refused(403, 'Forbidden', 'no')],
    [
      'refused 302 the server answered with HTTP status 302',
      'a deletion',
      { status: 302, body: {} },
    ],
    ['unknown 0 not-http', 'a deletion', error('not-http')],
    ['not-sent 0 tls-expired', 'a deletion', error('tls-expired')],
  ])('is understood: %s of %s', async (told, write, step) => {
    expect(await toldOf(writes[write] ?? deletion, step)).toBe(told);
  });

  test('never quotes the data of a Secret or ConfigMap', async () => {
    const quoted = (field: string) =>
      refused(422, 'Invalid', `${field}: Invalid value: "hunter2"`, { causes: [{ field }] });
    const create: WriteRequest = { verb: 'create', path: '/api/v1/namespaces/shop/secrets' };
    const wrong = refused(400, 'BadRequest', 'illegal data "hunter2"');
    const told = [
      await toldOf(create, quoted('data[a]')),
      await toldOf(create, wrong),
      await toldOf(patch, quoted('data')),
      await toldOf(patch, quoted('metadata.labels')),
    ];
    expect(told.join('\n')).toMatchInlineSnapshot(`
      "refused 422 the server finds it invalid: data[a]
      refused 400 the server finds it invalid
      refused 422 the server finds it invalid: data
      refused 422 metadata.labels: Invalid value: "hunter2""
    `);
  });
});

describe('what passes', () => {
  test('is tried again, longer each time, or as the server asks within bounds', async () => {
    const busy = { status: 429, headers: { 'retry-after': '7' } };
    const long = refused(503, '', 'away', { retryAfterSeconds: 600 });
    expect([
      await sent(deletion, [error('connection-dropped'), { status: 503 }, taken]),
      await sent(deletion, [busy, long, taken]),
      await sent(deletion, [conflict, taken]),
      await sent(deletion, [error('connection-refused'), taken]),
    ]).toEqual([
      { told: 'done 200', tries: 3, waits: [100, 200] },
      { told: 'done 200', tries: 3, waits: [7_000, 30_000] },
      { told: 'done 200', tries: 2, waits: [100] },
      { told: 'done 200', tries: 2, waits: [100] },
    ]);
  });

  test('is given up after some tries, and said to be in doubt where it is', async () => {
    const results = [
      await sent(deletion, [{ status: 503, body: 'away' }]),
      await sent(deletion, [error('connection-dropped')]),
      await sent(deletion, [error('connection-refused')]),
      await sent({ ...deletion, dryRun: true }, [error('connection-dropped')]),
      await sent(deletion, [{ status: 503, body: 'away' }], { giveUp: -1 }),
    ];
    expect(
      results.map(({ told, tries }) => `${tries} tries: ${told}`).join('\n'),
    ).toMatchInlineSnapshot(`
      "3 tries: refused 503 away
      3 tries: unknown 0 connection-dropped; the server may have received it
      3 tries: not-sent 0 connection-refused
      3 tries: unknown 0 connection-dropped
      1 tries: refused 503 away"
    `);
  });

  test.each([
    ['429 asks for no wait', { status: 429, headers: { 'retry-after': '0' } }, 11],
    ['503 asks for no wait', { status: 503, headers: { 'retry-after': '0' } }, 11],
    ['429 does not say when', { status: 429 }, 11],
    ['503 does not say when', { status: 503 }, 11],
    ['500 does not say when', { status: 500 }, 4],
    ['there is no answer', error('connection-refused'), 15],
  ])('is retried with growing waits: where %s', async (_, step, most) => {
    const retry = { ...patience(), tries: 15 };
    const { tries } = await sent(deletion, [step], { retry });
    const [first, ...later] = retry.waits;
    expect([tries, first]).toEqual([most, 100]);
    expect(
      later.every((wait, index) => wait >= Math.min(2 * (retry.waits[index] ?? 0), 1000)),
    ).toBe(true);
  });

  test('does not where a webhook denied it, or a guard did not hold', async () => {
    const denial = refused(500, '', 'admission webhook "w" denied the request: no');
    expect([
      (await sent(deletion, [denial, taken])).tries,
      (await sent(patch, [conflict, taken])).tries,
      // Another manager has set a field to another value.
      (await sent({ ...patch, patchType: 'apply' }, [conflict, taken])).tries,
    ]).toEqual([1, 1, 1]);
  });

  test('is no reason to repeat what has no guard, unless it was certainly not begun', async () => {
    const options = { isUnguarded: true };
    expect(
      await Promise.all(
        [
          { status: 429, headers: { 'retry-after': '0' } },
          { status: 429 },
          { status: 503, headers: { 'retry-after': '0' } },
          error('connection-dropped'),
        ].map(async (step) => (await sent(deletion, [step, taken], options)).tries),
      ),
    ).toEqual([2, 1, 1, 1]);
  });

  test('is what the caller waits for, too, and longer', async () => {
    const waitsFor = ({ code }: WriteAnswer) => code === 403;
    const { tries, waits } = await sent(deletion, [{ status: 403 }], { waitsFor });
    expect([tries, waits]).toEqual([9, [100, 200, 400, 800, 800, 800, 800, 800]]);
  });
});

describe('an answer that is lost', () => {
  const remove = [
    { op: 'test', path: '/metadata/uid', value: 'u' },
    { op: 'test', path: '/metadata/finalizers/1', value: 'b' },
    { op: 'remove', path: '/metadata/finalizers/1' },
  ];
  const failed = refused(422, 'Invalid', 'a test');
  const live = (finalizers: readonly string[], uid = 'u') => ({
    status: 200,
    body: { metadata: { uid, finalizers } },
  });

  test.each([
    ['the finalizer is off', live(['a', 'c']), 'done 422'],
    ['the finalizer is there', live(['c', 'b']), 'changed 422 a test'],
    ['it is another object', live(['a', 'c'], 'x'), 'changed 422 a test'],
    ['it cannot be read', { status: 403 }, 'changed 422 a test'],
  ])('of a patch, verified: %s', async (_, now, told) => {
    const steps = [error('connection-dropped'), failed, now];
    expect((await sent({ ...patch, body: remove }, steps)).told).toBe(told);
  });

  test('of an update, too', async () => {
    const metadata = { name: 'a', uid: 'u', resourceVersion: '7' };
    const read = { apiVersion: 'v1', kind: 'Namespace', metadata };
    const update = updateOf('/api/v1/namespaces/a/finalize', read, { spec: { finalizers: [] } });
    const now = (finalizers: string[]) => ({ status: 200, body: { spec: { finalizers } } });
    const dropped = error('connection-dropped');
    expect([
      (await sent(update, [dropped, conflict, now([])])).told,
      (await sent(update, [dropped, conflict, now(['kubernetes'])])).told,
    ]).toEqual(['done 409', 'changed 409 modified']);
  });

  test('of what is applied means nothing for an object that is not there', async () => {
    const apply: WriteRequest = { ...patch, patchType: 'apply', body: { kind: 'ConfigMap' } };
    const replaced = refused(422, 'Invalid', immutable);
    const steps = [error('connection-dropped'), replaced, live(['a'])];
    expect((await sent(apply, steps)).told).toBe(`changed 422 ${immutable}`);
  });

  test('is passed on to callers that check themselves', async () => {
    const asked: boolean[] = [];
    const endsBefore = async (isUncertain: boolean) => {
      asked.push(isUncertain);
      return isUncertain;
    };
    const { tries } = await sent(deletion, [error('connection-dropped')], { endsBefore });
    expect([asked, tries]).toEqual([[false, true], 1]);
  });
});

describe('an interruption', () => {
  const stopped = AbortSignal.abort();

  test('before the first try sends nothing', async () => {
    expect(await sent(deletion, [taken], { signal: stopped })).toEqual({
      told: 'not-sent 0 the run was interrupted',
      tries: 0,
      waits: [],
    });
  });

  test.each([
    [{ status: 429, body: 'later' }, 'not-sent 429'],
    [{ status: 503, body: 'away' }, 'unknown 503'],
    [error('connection-dropped'), 'unknown 0'],
    [error('connection-refused'), 'not-sent 0'],
    [taken, 'done 200'],
  ] as const)('lets no try follow: %#', async (step, told) => {
    const stop = new AbortController();
    const endsBefore = async () => {
      stop.abort();
      return false;
    };
    const result = await sent(deletion, [step as Step], { signal: stop.signal, endsBefore });
    const [outcome, code] = result.told.split(' ');
    expect([`${outcome} ${code}`, result.tries, result.waits]).toEqual([told, 1, []]);
  });

  test('ends the wait for an answer when that was asked for', async () => {
    const { told } = await sent(deletion, [error('cancelled')], { late: stopped });
    expect(told).toMatchInlineSnapshot(
      `"unknown 0 the run ended before the answer; the server may have accepted the request"`,
    );
  });
});

test.each([
  ['a login page', '<html>Log in</html>'],
  ['other JSON', { error: 'login required' }],
])('%s is no success', async (_, body) => {
  expect(await toldOf(patch, { status: 200, body })).toMatchInlineSnapshot(
    `"unknown 200 the answer (HTTP 200) is not one of a Kubernetes API server"`,
  );
});

test('a busy server that asks for a long time is given it for a change, and not for a question', async () => {
  const later = { status: 429, headers: { 'retry-after': '86400' } };
  const waitsOf = async (write: WriteRequest) => {
    const retry = patience();
    await sent(write, [later], { retry: { ...retry, longestInAll: 5000 } });
    return retry.waits;
  };
  expect([await waitsOf(patch), await waitsOf({ ...patch, dryRun: true })]).toEqual([
    Array(10).fill(30_000),
    [100, 200],
  ]);
});

test('a review without a sensible answer allows nothing and denies nothing', async () => {
  const spec = { resourceAttributes: { verb: 'get' }, user: 'eve' };
  const { client, requests } = playing({ status: 201, body: 'hello' });
  const { code, reason, ...rest } = await reviewAccess(client, spec);
  expect([code, rest]).toEqual([201, {}]);
  expect(reason).toContain('(HTTP 201)');
  expect(requests.map((request) => request.path)).toEqual([
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
  ]);
});

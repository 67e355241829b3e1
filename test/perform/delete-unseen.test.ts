import { describe, expect, test } from 'vitest';
import { GcError } from '../../src/errors.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { referenceTo } from '../../src/kube/object-reference.ts';
import { uidOfUnseen } from '../../src/perform/delete-unseen.ts';
import { deleteByUid } from '../../src/perform/send/send-delete.ts';
import { type Answer, clientThat, refusal } from '../cluster/fake-client.ts';
import { builderOf, configMap, widget } from '../support/builders.ts';
import { clearanceOf } from '../support/cleared.ts';

const how = { policy: 'Background', gracePeriodSeconds: undefined } as const;
const allowed = { allowIncomplete: true, allowProtected: false, maxDeletes: undefined };
const removed: Answer = { body: { kind: 'Status', details: { uid: 'seen-in-dry-run' } } };
const apiService = '/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com';

/** What comes of it, or the code of the refusal, and the requests that are no GET. */
async function uidOf(
  target: ObjectRecord,
  limits: Partial<Parameters<typeof uidOfUnseen>[4]> = {},
  answer: Answer = removed,
  answersOfReads: Readonly<Record<string, Answer>> = {},
) {
  const client = clientThat(({ method = 'GET', path }) =>
    method === 'GET' ? (answersOfReads[path] ?? refusal(403, 'no')) : answer,
  );
  const { type, namespace, name } = target;
  const unseen = { type, namespace, name };
  const unread = { message: 'forbidden', status: { code: 403, reason: 'Forbidden' } };
  const all = { ...allowed, ...limits };
  const found = await uidOfUnseen(client, unseen, unread, how, all).catch((error: unknown) =>
    error instanceof GcError ? { refused: error.code } : Promise.reject(error),
  );
  const sent = client.requests.filter(({ method = 'GET' }) => method !== 'GET');
  const dryRuns = sent.filter(({ body = '' }) => JSON.parse(body).dryRun?.[0] === 'All');
  expect(dryRuns).toEqual(sent);
  return { found, rehearsed: sent.length };
}

describe('an object that may be deleted and not be read', () => {
  test('what may not be read is bound to the uid that a dry run of the server answers', async () => {
    const found = { uid: 'seen-in-dry-run', refusals: [] };
    expect(await uidOf(configMap('a'))).toEqual({ found, rehearsed: 1 });
    const held: Answer = { body: { kind: 'ConfigMap', metadata: { uid: 'held' } } };
    expect((await uidOf(configMap('a'), {}, held)).found).toMatchObject({ uid: 'held' });
  });

  const namespace = builderOf('v1', 'Namespace');
  test.each<[string, ObjectRecord, Parameters<typeof uidOf>[1], string]>([
    ['in kube-system', configMap('a', { namespace: 'kube-system' }), {}, 'protected'],
    ['in kube-node-lease', configMap('a', { namespace: 'kube-node-lease' }), {}, 'protected'],
    ['for namespace default', namespace('default'), {}, 'protected'],
    ['with any limit', configMap('a'), { maxDeletes: 1000 }, 'too-many-deletes'],
    ['where the limit is 0', configMap('a'), { maxDeletes: 0 }, 'too-many-deletes'],
  ])('refuses an unreadable target %s', async (_, target, limits, refused) => {
    expect((await uidOf(target, limits)).found).toEqual({ refused });
  });

  test('what may not be read takes the flags that allow it, as what was read does', async () => {
    const guarded = configMap('a', { namespace: 'kube-system' });
    const { found } = await uidOf(guarded, { allowProtected: true });
    expect(found).toMatchObject({ uid: 'seen-in-dry-run' });
    const unasked = await uidOf(configMap('a'), { allowIncomplete: false });
    expect([Object.keys(unasked.found), unasked.rehearsed]).toEqual([['failure'], 1]);
  });

  test('what may not be read is not deleted where the server refuses it, or does not answer its uid', async () => {
    const forbidden = refusal(403, 'configmaps "a" is forbidden');
    expect((await uidOf(configMap('a'), {}, forbidden)).found).toMatchObject({
      failure: { status: { code: 403 } },
    });
    const silent = await uidOf(configMap('a'), {}, { body: { kind: 'Status' } });
    expect(Object.keys(silent.found)).toEqual(['failure']);
  });

  test('an unreadable target gets no dry run where an aggregated API server may delete in it', async () => {
    const service = (spec: object): Record<string, Answer> => ({
      [apiService]: { body: { spec } },
    });
    for (const reads of [{}, service({ service: { name: 'widgets', namespace: 'ops' } })]) {
      const { found, rehearsed } = await uidOf(widget('w'), {}, removed, reads);
      expect([Object.keys(found), rehearsed]).toEqual([['failure'], 0]);
    }
    const local = await uidOf(widget('w'), {}, removed, service({}));
    expect(local).toMatchObject({ found: { uid: 'seen-in-dry-run' }, rehearsed: 1 });
  });
});

describe('a deletion by uid alone', () => {
  const sent = async (...answers: (Answer | GcError)[]) => {
    const client = clientThat(() => {
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof GcError) throw answer;
      return answer ?? removed;
    });
    const { failure, mayBeDone } = await deleteByUid(client, clearance, configMap('a'), how, 'u');
    const bodies = client.requests.map(({ body = '' }) => JSON.parse(body).preconditions);
    return { failed: failure !== undefined, mayBeDone, bodies };
  };
  const preconditions = { uid: 'u' };
  const clearance = clearanceOf({
    requests: [{ ...referenceTo(configMap('a')), uid: 'u', verb: 'delete' }],
  });
  const dropped = new GcError('the connection was dropped', { code: 'connection-dropped' });

  test('a deletion by uid meets no other object', async () => {
    expect(await sent(removed)).toEqual({
      failed: false,
      mayBeDone: undefined,
      bodies: [preconditions],
    });
    const other = refusal(409, 'the UID in the precondition (u) does not match');
    expect(await sent(other)).toMatchObject({ failed: true, mayBeDone: false });
  });

  test('a deletion by uid is done if the object does not exist after a lost answer', async () => {
    expect(await sent(dropped, refusal(404, 'configmaps "a" not found'))).toEqual({
      failed: false,
      mayBeDone: undefined,
      bodies: [preconditions, preconditions],
    });
  });

  test('a deletion by uid may be done where no answer came at all', async () => {
    const lost = new GcError('its answer is not HTTP', { code: 'not-http' });
    expect(await sent(lost)).toMatchObject({ failed: true, mayBeDone: true });
  });
});

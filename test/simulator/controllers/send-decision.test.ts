import { describe, expect, test } from 'vitest';
import type { Decision } from '../../../src/controllers/controller.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { isLast, requestsOf } from '../../../src/simulator/controllers/controller-run.ts';
import { configMap, node, pod, secret } from '../../support/builders.ts';
import { alone, decisionOn } from './alone.ts';

/** Sends a decision about an object that was read as `object`, and is stored as `stored` by now. */
function send(
  decision: Partial<Decision> & { readonly object: ObjectRecord },
  stored: readonly ObjectRecord[] = [decision.object],
) {
  const { context, state, steps } = alone(stored);
  const sent = decisionOn(decision.object, decision);
  let requests = 0;
  let answer: ReturnType<ReturnType<typeof requestsOf>[number]> = 'gone';
  for (const request of requestsOf(sent)) {
    requests++;
    answer = request(context, 'pod-garbage-collector-controller', sent);
    if (isLast(answer)) break;
  }
  return {
    answer: typeof answer === 'object' ? `${answer.result} ${answer.reply.code}` : answer,
    requests,
    steps,
    told: steps.map(
      ({ verb, object, result, policy, because, rule }) =>
        `${verb} ${object.name} ${result}${policy ? ` ${policy}` : ''} (${rule}): ${because}`,
    ),
    left: [...state.all()],
  };
}

describe('a deletion', () => {
  const old = configMap('old', { resourceVersion: '7' });

  test('is sent once, and recorded with its policy', () => {
    const sent = send({ object: old });
    expect([sent.answer, sent.requests, sent.left]).toEqual(['removed 200', 1, []]);
    expect(sent.told).toEqual(['delete old removed (PG-3): it has ended']);
    const options = { propagationPolicy: 'Foreground' } as const;
    expect(send({ object: old, options }).told).toEqual([
      'delete old terminating Foreground (PG-3): it has ended',
    ]);
  });

  test('keeps to the object that was judged: by uid, and by version where it says so', () => {
    const written = { ...old, resourceVersion: '8' };
    const by = (options: Decision['options'], stored: ObjectRecord) =>
      send({ object: old, options: options ?? {} }, [stored]).answer;
    expect(by({ uid: old.uid }, old)).toBe('removed 200');
    expect(by({ uid: 'another' }, old)).toBe('refused 409');
    expect(by({ resourceVersion: '7' }, written)).toBe('refused 409');
    expect(by({ resourceVersion: '8' }, written)).toBe('removed 200');
    expect(by({ uid: old.uid, resourceVersion: '7' }, written)).toBe('refused 409');
    expect(by({ uid: 'another', resourceVersion: '8' }, written)).toBe('refused 409');
  });

  test('of an object that was deleted or replaced meanwhile is not sent', () => {
    const reborn = configMap('old', { uid: 'another' });
    for (const stored of [[], [reborn]]) {
      const sent = send({ object: old }, stored);
      expect([sent.answer, sent.told, sent.left]).toEqual(['gone', [], stored]);
    }
  });
});

describe('a patch', () => {
  const ended = pod('ended', {
    facts: {
      nodeName: 'gone',
      phase: 'Running',
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'DisruptionTarget', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    },
  });
  const condition = { type: 'DisruptionTarget', status: 'True' };
  const patch = {
    subresource: 'status',
    body: { status: { phase: 'Failed', conditions: [condition] } },
  } as const;

  test('is all that is sent where nothing is deleted', () => {
    const labels = { body: { metadata: { labels: { zone: 'b' }, finalizers: ['x.com/y'] } } };
    const sent = send({ object: secret('s'), action: 'patch', patch: labels });
    expect([sent.answer, sent.requests]).toEqual(['changed 200', 1]);
    expect(sent.told).toEqual(['patch s changed (PG-3): it has ended']);
    expect(sent.left).toMatchObject([{ labels: { zone: 'b' }, finalizers: ['x.com/y'] }]);
  });

  test('of the status comes before the deletion, and says so', () => {
    const held = { ...ended, finalizers: ['x.com/y'] };
    const sent = send({ object: held, patch, options: { gracePeriodSeconds: 0 } });
    expect(sent.requests).toBe(2);
    expect(sent.told.join('\n')).toMatchInlineSnapshot(`
      "patch ended changed (PG-3): its status is set first: it has ended
      delete ended terminating (PG-3): it has ended"
    `);
    expect(sent.left[0]?.facts).toMatchObject({
      phase: 'Failed',
      conditions: [
        { type: 'Ready', status: 'True' },
        { ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    });
  });

  test('of other fields before a deletion, and of the status alone, does not', () => {
    const labels = { body: { metadata: { labels: { zone: 'b' } } } };
    expect(send({ object: ended, patch: labels }).told[0]).toBe(
      'patch ended changed (PG-3): it has ended',
    );
    expect(send({ object: ended, patch, action: 'patch' }).told).toEqual([
      'patch ended changed (PG-3): it has ended',
    ]);
  });

  test('that is refused takes the deletion with it', () => {
    const going = node('n', { deleting: 'background', finalizers: ['x.com/y'] });
    const wrong = { body: { metadata: { finalizers: ['x.com/y', 'x.com/new'] } } };
    const sent = send({ object: going, patch: wrong });
    expect([sent.answer, sent.requests, sent.left]).toEqual(['refused 422', 1, [going]]);
  });

  test('of a deleted object is not sent, nor the deletion after it', () => {
    const sent = send({ object: ended, patch }, []);
    expect([sent.answer, sent.requests, sent.told]).toEqual(['gone', 1, []]);
  });
});

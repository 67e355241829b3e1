import { expect, test } from 'vitest';
import type { Fate } from '../../../../src/deletion/plan/plan.ts';
import { referenceTo } from '../../../../src/kube/object-reference.ts';
import type { ProgressEvent } from '../../../../src/perform/progress-event.ts';
import {
  progressJson,
  progressLines,
} from '../../../../src/questions/delete/progress/progress-lines.ts';
import { planned, requestFor } from '../../../perform/send/plans.ts';
import { deployment, gadget, pod } from '../../../support/builders.ts';

const at = '2026-01-03T00:00:00.000Z';
const web = deployment('web');
const request = requestFor(web);
const object = referenceTo(web);
const late = referenceTo(pod('late'));
const counts = { sent: 2, refused: 0, skipped: 0, gone: 5, left: 0, differences: 0 };
const done = { type: 'done', ended: 'gone', ...counts };
const difference = (predicted: Fate, observed: string) => {
  return { type: 'difference', object: planned(web, predicted), predicted, observed };
};

const waitingFor = (name: string) => {
  return { actor: 'finalizer', name, state: 'unseen', because: 'why', objects: [object] };
};

const events: readonly object[] = [
  { type: 'planned', requests: 1, objects: 3 },
  { type: 'sent', request, code: 200 },
  { type: 'skipped', request, reason: 'gone', message: 'not found' },
  { type: 'skipped', request, reason: 'not-sent', message: 'WHY' },
  { type: 'refused', request, code: 403, message: 'no' },
  { type: 'refused', request, code: 0, message: 'no way' },
  { type: 'retrying', request, message: 'it is busy' },
  { type: 'observed', object, observation: 'gone' },
  { type: 'observed', object, observation: 'terminating' },
  { type: 'observed', object, observation: 'terminating', finalizers: ['a/b', 'c/d'] },
  { type: 'observed', object: referenceTo(gadget('g')), observation: 'orphaned' },
  { type: 'watch', resource: 'pods in shop', state: 'lost', message: 'it broke' },
  { type: 'left', object, because: 'WHY', blockedBy: [] },
  { type: 'waiting', waits: [waitingFor('kubernetes.io/pvc-protection')] },
  { type: 'waiting', waits: [waitingFor('example.com/drain')] },
  difference('kept', 'gone'),
  difference('deleted', 'kept'),
  difference('orphaned', 'kept'),
  { type: 'unplanned', object: late, owner: object, gone: false },
  { type: 'unplanned', object: late, owner: object, gone: true },
  done,
  { ...done, sent: 0, skipped: 1, gone: 1 },
  { ...done, ended: 'timed-out', refused: 1, skipped: 1, left: 2, differences: 1 },
  { ...done, ended: 'not-waited', gone: 0 },
];

test('the line of each event, if any', () => {
  const lines = events.flatMap((event) => {
    const { type } = event as ProgressEvent;
    const told = progressLines({ at, ...event } as ProgressEvent);
    return [`${type}: ${told.join('\n  ') || '-'}`];
  });
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "planned: -
    sent: -
    skipped: deployment.apps/web in shop was already deleted: not found
    skipped: deployment.apps/web in shop was not asked to be deleted: WHY
    refused: deployment.apps/web in shop was refused: no (HTTP 403)
    refused: deployment.apps/web in shop was refused: no way
    retrying: deployment.apps/web in shop is tried again: it is busy
    observed: deployment.apps/web in shop deleted
    observed: deployment.apps/web in shop is terminating
    observed: deployment.apps/web in shop is terminating, with a/b, c/d
    observed: gadget.example.com/g lives on without its owner
    watch: lost sight of pods in shop: it broke
    left: deployment.apps/web in shop is left: WHY
    waiting: Waiting for the PVC protection controller to remove the finalizer kubernetes.io/pvc-protection from deployment.apps/web in shop: why.
        kubectl gc why deployment.apps/web -n shop
    waiting: Waiting for the program that removes the finalizer example.com/drain from deployment.apps/web in shop: why.
        kubectl gc why deployment.apps/web -n shop
    difference: deployment.apps/web in shop was planned to be kept, and is gone
    difference: deployment.apps/web in shop was planned to be deleted, and is not collected yet
    difference: deployment.apps/web in shop was planned to be orphaned, and is not released yet
    unplanned: pod/late in shop was not in the plan; its owner is deployment.apps/web
    unplanned: pod/late in shop was created after the last look, and went with its owner deployment.apps/web: it is in no backup
    done: all planned objects are deleted: 2 sent, 5 gone
    done: nothing was deleted: 0 sent, 1 skipped, 1 gone
    done: the time was up: 2 sent, 1 refused, 1 skipped, 5 gone, 2 left, 1 not as planned
    done: the requests were accepted: 2 sent"
  `);
});

test('words of a webhook cannot move the cursor', () => {
  const message = 'no\u001b[2J\nreally';
  const event = { at, type: 'refused', request, code: 403, reason: '', message } as const;
  expect(progressLines(event).join('\n')).toMatchInlineSnapshot(
    `"deployment.apps/web in shop was refused: no^[[2J^Jreally (HTTP 403)"`,
  );
});

test('one progress event is one line of JSON', () => {
  const event = { type: 'observed', object, observation: 'gone', at } as const;
  expect(progressJson(event)).toBe(
    `{"at":"${at}","type":"observed","object":${JSON.stringify(object)},"observation":"gone"}`,
  );
});

test('each actor that a deletion waits for has one line, and its command another', () => {
  const name = 'a\u202eb\nc';
  const waits = [
    { actor: 'kubelet', name: 'w1', state: 'gone', because: 'silent', objects: [late] },
    {
      actor: 'finalizer',
      name,
      state: 'unseen',
      because: 'unseen',
      objects: [{ ...object, name }],
    },
    // The first object in the namespace may be one that is deleted by itself.
    { actor: 'namespace', state: 'running', because: 'busy', objects: [late, object] },
  ] as const;
  const lines = progressLines({ at, type: 'waiting', waits });
  expect([lines.length, lines.join('').includes('\n')]).toEqual([6, false]);
  expect(lines.filter((_, index) => index % 2 === 1)).toEqual([
    '  kubectl gc why pod/late -n shop',
    `  kubectl gc why "$(printf %b 'deployment.apps/a\\0342\\0200\\0256b\\0012c')" -n shop`,
    '  kubectl gc why namespace/shop',
  ]);
});

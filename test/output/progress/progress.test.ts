import { expect, test } from 'vitest';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import { progressJson, progressLine } from '../../../src/output/progress/progress-lines.ts';
import type { ProgressEvent } from '../../../src/perform/progress-event.ts';
import { planned, requestFor } from '../../perform/send/plans.ts';
import { deployment, gadget, pod } from '../../support/builders.ts';

const at = '2026-01-03T00:00:00.000Z';
const web = deployment('web');
const request = requestFor(web);
const object = referenceTo(web);
const done = {
  at,
  type: 'done',
  ended: 'gone',
  sent: 2,
  refused: 0,
  skipped: 0,
  gone: 5,
  left: 0,
  differences: 0,
} as const;

test.each<[ProgressEvent, string | undefined]>([
  [{ at, type: 'planned', requests: 1, objects: 3 }, undefined],
  [{ at, type: 'sent', request, code: 200 }, undefined],
  [
    { at, type: 'skipped', request, reason: 'gone', message: 'deployments "web" not found' },
    'deployment.apps/web in shop is gone already: deployments "web" not found',
  ],
  [
    { at, type: 'skipped', request, reason: 'not-sent', message: 'the run was interrupted' },
    'deployment.apps/web in shop was not asked to be deleted: the run was interrupted',
  ],
  [
    { at, type: 'refused', request, code: 403, reason: 'Forbidden', message: 'no' },
    'deployment.apps/web in shop was refused: no (HTTP 403)',
  ],
  [
    { at, type: 'refused', request, code: 0, reason: 'NoAnswer', message: 'no way' },
    'deployment.apps/web in shop was refused: no way',
  ],
  [
    { at, type: 'retrying', request, message: 'it is busy' },
    'deployment.apps/web in shop is tried again: it is busy',
  ],
  [{ at, type: 'observed', object, observation: 'gone' }, 'deployment.apps/web in shop is gone'],
  [
    { at, type: 'observed', object, observation: 'terminating', finalizers: ['a/b', 'c/d'] },
    'deployment.apps/web in shop is terminating, with a/b, c/d',
  ],
  [
    { at, type: 'observed', object: referenceTo(gadget('g')), observation: 'orphaned' },
    'gadget.example.com/g lives on without its owner',
  ],
  [
    { at, type: 'watch', resource: 'pods in shop', state: 'lost', message: 'it broke' },
    'lost sight of pods in shop: it broke',
  ],
  [
    { at, type: 'left', object, because: 'it is terminating', blockedBy: [] },
    'deployment.apps/web in shop is left: it is terminating',
  ],
  [
    {
      at,
      type: 'difference',
      object: planned(web, 'kept'),
      predicted: 'kept',
      observed: 'gone',
    },
    'deployment.apps/web in shop was planned to be kept, and is gone',
  ],
  [
    { at, type: 'unplanned', object: referenceTo(pod('late')), owner: object, gone: false },
    'pod/late in shop was not in the plan; its owner is deployment.apps/web',
  ],
  [
    { at, type: 'unplanned', object: referenceTo(pod('brief')), owner: object, gone: true },
    'pod/brief in shop was created after the last look, and went with its owner deployment.apps/web: it is in no backup',
  ],
  [
    {
      at,
      type: 'difference',
      object: planned(web, 'deleted'),
      predicted: 'deleted',
      observed: 'kept',
    },
    'deployment.apps/web in shop was planned to be deleted, and is not collected yet',
  ],
  [
    {
      at,
      type: 'difference',
      object: planned(web, 'orphaned'),
      predicted: 'orphaned',
      observed: 'kept',
    },
    'deployment.apps/web in shop was planned to be orphaned, and is not released yet',
  ],
  [done, 'everything planned to go is gone: 2 sent, 5 gone'],
  [{ ...done, sent: 0, skipped: 1, gone: 1 }, 'nothing was deleted: 0 sent, 1 skipped, 1 gone'],
  [
    { ...done, ended: 'timed-out', refused: 1, skipped: 1, left: 2, differences: 1 },
    'the time was up: 2 sent, 1 refused, 1 skipped, 5 gone, 2 left, 1 not as planned',
  ],
  [{ ...done, ended: 'not-waited', gone: 0 }, 'the requests were accepted: 2 sent'],
])('%o as a line', (event, line) => {
  expect(progressLine(event)).toBe(line);
});

test('words of a webhook cannot move the cursor', () => {
  const message = 'no\u001b[2J\nreally';
  const event = { at, type: 'refused', request, code: 403, reason: '', message } as const;
  expect(progressLine(event)).toBe(
    'deployment.apps/web in shop was refused: no^[[2J^Jreally (HTTP 403)',
  );
});

test('one event is one line of JSON', () => {
  const event = { type: 'observed', object, observation: 'gone', at } as const;
  expect(progressJson(event)).toBe(
    `{"at":"${at}","type":"observed","object":${JSON.stringify(object)},"observation":"gone"}`,
  );
});

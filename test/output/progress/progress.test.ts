import { expect, test } from 'vitest';
import type { Fate } from '../../../src/deletion/plan/plan.ts';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import { progressJson, progressLine } from '../../../src/output/progress/progress-lines.ts';
import type { ProgressEvent } from '../../../src/perform/progress-event.ts';
import { planned, requestFor } from '../../perform/send/plans.ts';
import { deployment, gadget, pod } from '../../support/builders.ts';

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

test.each<[object, string | undefined]>([
  [{ type: 'planned', requests: 1, objects: 3 }, undefined],
  [{ type: 'sent', request, code: 200 }, undefined],
  [
    { type: 'skipped', request, reason: 'gone', message: 'not found' },
    'WEB is gone already: not found',
  ],
  [
    { type: 'skipped', request, reason: 'not-sent', message: 'the run was interrupted' },
    'WEB was not asked to be deleted: the run was interrupted',
  ],
  [{ type: 'refused', request, code: 403, message: 'no' }, 'WEB was refused: no (HTTP 403)'],
  [{ type: 'refused', request, code: 0, message: 'no way' }, 'WEB was refused: no way'],
  [{ type: 'retrying', request, message: 'it is busy' }, 'WEB is tried again: it is busy'],
  [{ type: 'observed', object, observation: 'gone' }, 'WEB is gone'],
  [{ type: 'observed', object, observation: 'terminating' }, 'WEB is terminating'],
  [
    { type: 'observed', object, observation: 'terminating', finalizers: ['a/b', 'c/d'] },
    'WEB is terminating, with a/b, c/d',
  ],
  [
    { type: 'observed', object: referenceTo(gadget('g')), observation: 'orphaned' },
    'gadget.example.com/g lives on without its owner',
  ],
  [
    { type: 'watch', resource: 'pods in shop', state: 'lost', message: 'it broke' },
    'lost sight of pods in shop: it broke',
  ],
  [
    { type: 'left', object, because: 'it is terminating', blockedBy: [] },
    'WEB is left: it is terminating',
  ],
  [difference('kept', 'gone'), 'WEB was planned to be kept, and is gone'],
  [difference('deleted', 'kept'), 'WEB was planned to be deleted, and is not collected yet'],
  [difference('orphaned', 'kept'), 'WEB was planned to be orphaned, and is not released yet'],
  [
    { type: 'unplanned', object: late, owner: object, gone: false },
    'pod/late in shop was not in the plan; its owner is deployment.apps/web',
  ],
  [
    { type: 'unplanned', object: late, owner: object, gone: true },
    'pod/late in shop was created after the last look, and went with its owner deployment.apps/web: it is in no backup',
  ],
  [done, 'everything planned to go is gone: 2 sent, 5 gone'],
  [{ ...done, sent: 0, skipped: 1, gone: 1 }, 'nothing was deleted: 0 sent, 1 skipped, 1 gone'],
  [
    { ...done, ended: 'timed-out', refused: 1, skipped: 1, left: 2, differences: 1 },
    'the time was up: 2 sent, 1 refused, 1 skipped, 5 gone, 2 left, 1 not as planned',
  ],
  [{ ...done, ended: 'not-waited', gone: 0 }, 'the requests were accepted: 2 sent'],
])('%o as a line', (event, line) => {
  const shown = line?.replace(/^WEB/, 'deployment.apps/web in shop');
  expect(progressLine({ at, ...event } as ProgressEvent)).toBe(shown);
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

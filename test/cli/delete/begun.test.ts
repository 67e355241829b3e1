import { expect, test } from 'vitest';
import { DeleteOutcome, recordRun } from '../../../src/commands/delete/outcome.ts';
import { RunSummary } from '../../../src/perform/run-summary.ts';
import { planned, planOf, requestFor } from '../../perform/send/plans.ts';
import { configMap, servedTypes } from '../../support/builders.ts';

type Live = Parameters<typeof recordRun>[2];

test.each([
  [{ begun: true } as const, 4],
  [{}, 3],
])('a deletion without an answer (%j) ends with %i', async (more, code) => {
  const record = configMap('root');
  const request = requestFor(record);
  const summary = new RunSummary(planOf([request], [planned(record, 'deleted')]));
  const message = 'interrupted';
  const refused = { type: 'refused', request, code: 0, reason: 'Interrupted', message } as const;
  summary.note({ at: '', ...refused, ...more });
  const outcome = new DeleteOutcome(false);
  await recordRun(summary, [], { cluster: { types: servedTypes } } as unknown as Live, outcome);
  expect([outcome.exitCode(), outcome.lines()]).toEqual([code, [`error: ${message}`]]);
});

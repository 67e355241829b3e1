import { expect, test } from 'vitest';
import { fleetReport } from '../../src/questions/fleet.ts';
import { orphansReport } from '../../src/questions/orphans/document.ts';
import { render } from '../../src/questions/render.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import { configMap, ownedByGone, snapshotOf } from '../support/builders.ts';

const lost = configMap('lost', { ownerReferences: [ownedByGone('apps/v1 Deployment web')] });
const options = { colour: false, width: undefined, now: Date.parse('2026-01-03T00:00:00Z') };
const orphansOf = (...records: Parameters<typeof snapshotOf>[0]) =>
  orphansReport(buildGraph(snapshotOf(records)), { scope: () => true });

test('several clusters as a table: each by its name, with its own table or why it was not read', async () => {
  const fleet = fleetReport([
    { context: 'eu\u001b[1m', report: orphansOf(lost) },
    { context: 'us', report: orphansOf() },
    {
      context: 'asia',
      failure: { code: 'connection-refused', message: 'cannot reach asia\u0007' },
    },
  ]);
  const own = await render(orphansOf(lost), 'table', options);
  expect(await render(fleet, 'table', options)).toBe(
    `CLUSTER eu^[[1m\n${own}\nCLUSTER us\n\nCLUSTER asia\nnot read: cannot reach asia^G\n`,
  );
});

import { describe, expect, test } from 'vitest';
import type { StatusReport } from '../../src/questions/status/document.ts';
import { gcHere } from '../support/run-here.ts';

const shop = '--from examples/clusters/shop.json.gz';

async function documentOf(line: string) {
  const { code, stdout } = await gcHere(`${line} -o json`);
  expect([line, code]).toEqual([line, 0]);
  return JSON.parse(stdout);
}

async function statusOf(line: string): Promise<StatusReport> {
  return documentOf(`status ${line}`);
}

describe('status', () => {
  test.each(['-A', '-n shop', '-n preview-142'])(
    'says with %s what why, forecast and invalid-ownerrefs say',
    async (where) => {
      const status = await statusOf(`${where} ${shop}`);
      const stuck = await documentOf(`why ${where} ${shop}`);
      const forecast = await documentOf(`forecast --within 1h ${where} ${shop}`);
      const references = await documentOf(`invalid-ownerrefs ${where} ${shop}`);
      const { deletions, due } = status;
      expect(deletions.worst).toEqual(stuck.items.slice(0, 10));
      expect(deletions.stuck + deletions.unknown + deletions.progressing).toBe(stuck.items.length);
      expect([due.total, status.references.total]).toEqual([
        forecast.items.length,
        references.items.length,
      ]);
      const counted = due.controllers.map(({ controller, count }) => [controller, count]);
      expect(Object.fromEntries(counted)).toEqual(
        Object.fromEntries(
          [...Map.groupBy(forecast.items, (item: { collector: string }) => item.collector)].map(
            ([controller, items]) => [controller, items.length],
          ),
        ),
      );
    },
  );
});

import { expect, test } from 'vitest';
import { type ClusterReport, fleetReport } from '../../src/questions/fleet.ts';
import { documentOf } from './published-document.ts';
import { asPublished, type SchemaName } from './valid-document.ts';

const example = '--from examples/clusters/shop.json.gz -o json';
const failure = { code: 'connect-timeout', message: 'no answer' };

async function fleetOf(line: string) {
  const report = (await documentOf(`${line} ${example}`)) as unknown as ClusterReport;
  const fleet = fleetReport([
    { context: 'eu', report },
    { context: 'us', report },
    { context: 'asia', failure },
  ]);
  return { report, fleet };
}

test.each(['orphans -A', 'audit --fail-on never', 'why -A', 'forecast'])(
  '%s of several clusters contains their documents',
  async (line) => {
    const { report, fleet } = await fleetOf(line);
    const document = asPublished('fleet', fleet);
    expect(document.clusters).toEqual([
      { context: 'eu', report },
      { context: 'us', report },
      { context: 'asia', failure },
    ]);
    asPublished(line.split(' ', 1)[0] as SchemaName, document.clusters[0].report);
  },
);

test('the coverage counts all clusters, and names the one that was not read', async () => {
  const { fleet, report } = await fleetOf('orphans -A');
  expect(fleet.coverage).toEqual({
    complete: false,
    kinds: 2 * report.coverage.kinds,
    objects: 2 * report.coverage.objects,
    problems: [{ cluster: 'asia', reason: 'timed-out', message: 'no answer' }],
  });
});

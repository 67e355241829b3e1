import { expect, test } from 'vitest';
import {
  type AskedCluster,
  type ClusterReport,
  fleetReport,
} from '../../src/output/documents/fleet.ts';
import { documentOf } from './published-document.ts';
import { type SchemaName, validatorOf } from './schemas.ts';

const example = '--from examples/clusters/shop.json.gz -o json';

async function fleetOf(line: string) {
  const report = (await documentOf(`${line} ${example}`)) as unknown as ClusterReport;
  const asked: AskedCluster[] = [
    { context: 'eu', server: 'https://eu.example.com', exitCode: 1, report },
    { context: 'us', server: undefined, exitCode: 0, report },
    {
      context: 'asia',
      server: 'https://asia.example.com',
      exitCode: 3,
      failure: { code: 'connect-timeout', message: 'it did not answer in time' },
    },
  ];
  return { report, fleet: fleetReport(report.kind, asked, '2026-01-31T12:00:00Z') };
}

test.each(['orphans -A', 'audit --fail-on never', 'why -A', 'forecast'])(
  '%s of several clusters: as published, and each cluster has its own document in it',
  async (line) => {
    const { report, fleet } = await fleetOf(line);
    const document = JSON.parse(JSON.stringify(fleet));
    const validate = validatorOf('fleet');
    validate(document);
    expect(validate.errors).toBeNull();
    expect(Object.keys(document).slice(0, 3)).toEqual(['apiVersion', 'kind', 'coverage']);
    for (const cluster of ['eu', 'us']) {
      const { report: rest } = document.clusters.find(
        ({ context }: { context: string }) => context === cluster,
      );
      const items = document.items
        .filter((item: { cluster: string }) => item.cluster === cluster)
        .map(({ cluster: _, ...item }: { cluster: string }) => item);
      expect({ ...rest, items }).toEqual(report);
      const own = validatorOf(line.split(' ', 1)[0] as SchemaName);
      own({ ...rest, items });
      expect(own.errors).toBeNull();
    }
  },
);

test('a cluster that was not read is a problem of its own, before all others', async () => {
  const { fleet, report } = await fleetOf('orphans -A');
  const { clusters, coverage } = fleet;
  expect(clusters[2]).toEqual({
    context: 'asia',
    server: 'https://asia.example.com',
    status: 'not-read',
    exitCode: 3,
    failure: { code: 'connect-timeout', message: 'it did not answer in time' },
  });
  expect(coverage).toEqual({
    complete: false,
    kinds: 2 * report.coverage.kinds,
    objects: 2 * report.coverage.objects,
    problems: [{ cluster: 'asia', reason: 'timed-out', message: 'it did not answer in time' }],
  });
});

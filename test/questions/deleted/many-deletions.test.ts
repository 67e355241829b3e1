import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const deletions = 1_200;
const path = join(temporaryFolder(), 'audit.log');
writeFileSync(path, Array.from({ length: deletions }, (_, at) => deletion(at)).join('\n'));
const asked = `deleted -A --audit-log ${path}`;

/** Each ConfigMap by a request of its own. */
function deletion(at: number): string {
  const time = new Date(Date.parse('2026-01-31T12:00:00Z') + at * 1000).toISOString();
  return JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: `id-${at}`,
    stage: 'ResponseComplete',
    requestURI: `/api/v1/namespaces/shop/configmaps/map-${at}`,
    verb: 'delete',
    user: { username: 'alice' },
    userAgent: 'kubectl',
    objectRef: { resource: 'configmaps', namespace: 'shop', name: `map-${at}`, apiVersion: 'v1' },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: time,
    stageTimestamp: time,
  });
}

const rowsOf = (text: string) => text.split('\n').filter((line) => line.includes('ConfigMap/map-'));

test('a pipe gets a row for each of many groups, below one header', async () => {
  const { stdout } = await gcHere(asked);
  expect(rowsOf(stdout)).toHaveLength(deletions);
  expect(stdout.match(/^WHEN/gm)).toHaveLength(1);
});

test('a terminal gets the 100 largest groups, and the command that lists all', async () => {
  const { stdout, stderr } = await gcHere(asked, undefined, 200);
  expect(stdout).toContain('60 ConfigMaps');
  expect(stdout).toContain(`lists all ${deletions}`);
  expect(stderr).toMatch(/ kubectl gc deleted .* -o wide$/m);
});

test.each(['json', 'yaml'])('%s contains all of many groups', async (format) => {
  const { stdout } = await gcHere(`${asked} -o ${format}`);
  expect(stdout.match(/"?auditId"?: /g)).toHaveLength(deletions);
});

test('markdown lists the 500 largest groups, and names the format that has all', async () => {
  const { stdout } = await gcHere(`${asked} -o markdown`);
  expect(rowsOf(stdout)).toHaveLength(500);
  expect(stdout).toContain('-o json');
});

test('a page shows the 500 largest groups, and counts all objects', async () => {
  const { stdout } = await gcHere(`${asked} -o html`);
  expect(new Set(stdout.match(/ConfigMap\/map-\d+/g) ?? stdout.match(/map-\d+/g))).toHaveLength(
    500,
  );
  expect(stdout).toContain(`"value":"${deletions}"`);
});

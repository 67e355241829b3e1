import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { gcHere } from '../../support/run-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-unknown-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A Secret whose foreground deletion waits for dependents of kinds that the file does not hold. */
const file = join(folder, 'secret.json');
const deleted = Date.parse('2026-03-01T08:00:00Z');
writeFileSync(
  file,
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'deploy-key',
      namespace: 'shop',
      uid: '6d1f3a52-0c58-4d0b-9c3e-1a2b3c4d5e07',
      deletionTimestamp: new Date(deleted).toISOString(),
      deletionGracePeriodSeconds: 0,
      finalizers: ['foregroundDeletion'],
    },
  }),
);

async function audited(seconds: number, flags: string) {
  const now = new Date(deleted + seconds * 1000).toISOString();
  const { code, stdout } = await gcHere(
    `audit --from ${file} --rule stuck-object,blocked-foreground-deletion --now ${now} -o json ${flags}`,
  );
  const { verdict, items, notChecked } = JSON.parse(stdout);
  const found = items.map(({ severity, cause }: Record<string, string>) => `${severity} ${cause}`);
  return [code, verdict, found, notChecked.length > 0];
}

test.each<[string, number, string, unknown[]]>([
  ['is not reported after 59 s', 59, '', [0, 'passed', [], false]],
  ['is a warning after 60 s', 60, '', [3, 'incomplete', ['warning unknown'], true]],
  [
    'fails an audit that fails on warnings',
    60,
    '--fail-on warning',
    [1, 'failed', ['warning unknown'], true],
  ],
  [
    'passes where an incomplete scan is allowed, and is told',
    60,
    '--allow-incomplete',
    [0, 'passed', ['warning unknown'], true],
  ],
])('a deletion that waits for what was not read %s', async (_, seconds, flags, expected) => {
  expect(await audited(seconds, flags)).toEqual(expected);
});

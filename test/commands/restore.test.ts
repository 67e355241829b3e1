import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-restore-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'empty.yaml'), '');

test.each([
  ['restore', 2, 'You must say what to restore'],
  [`restore ${folder} --dry-run=maybe`, 2, 'Invalid dry-run value (maybe)'],
  [`restore ${folder} -o dot`, 2, 'unable to match a printer'],
  [`restore ${folder}`, 3, `there is no backup.json in ${folder}`],
  [`restore ${join(folder, 'nowhere')}`, 3, 'there is no such folder'],
  [`restore --from ${join(folder, 'empty.yaml')} --preview`, 3, 'nothing could be read from'],
])('%s: exit code %i', async (line, code, message) => {
  const run = await gcHere(line);
  expect([run.code, run.stdout]).toEqual([code, '']);
  expect(run.stderr).toContain(message);
});

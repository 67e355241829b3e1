import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ruleIds } from '../../../src/audit/audit.ts';
import { gcHere } from '../../support/run-here.ts';

/** A configuration in a folder above. What one says, waivers and baselines stand in test/fixtures/transcripts/waivers.txt. */
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-waivers-'));
const elsewhere = mkdtempSync(join(tmpdir(), 'kubectl-gc-elsewhere-'));
afterAll(() => {
  for (const one of [folder, elsewhere]) rmSync(one, { recursive: true });
});
const config = join(folder, '.kubectl-gc.yaml');
const line = 'audit --from test/fixtures/clusters/pods-only.yaml --now 2026-06-01T12:00:00Z';

function configured(lines: string): void {
  writeFileSync(config, `apiVersion: kubectl-gc/v1\nkind: Config\naudit:\n${lines}`);
}

beforeEach(() => {
  const below = join(folder, 'charts', 'shop');
  mkdirSync(below, { recursive: true });
  vi.spyOn(process, 'cwd').mockReturnValue(below);
});
afterEach(() => {
  vi.restoreAllMocks();
});

test('the documents name it, and the rules that it leaves out', async () => {
  configured('  onlyRules: [self-owner, event-owner]\n  failOn: never\n');
  const few = `${line} --complete --skip-rule event-owner`;
  const { stdout, stderr } = await gcHere(`${few} -o json`);
  const { configuration, rules, verdict } = JSON.parse(stdout);
  expect([configuration.path, rules.length, verdict]).toEqual([config, 1, 'passed']);
  expect(configuration.skippedRules).toEqual(ruleIds.filter((id) => id !== 'self-owner'));
  const skipped = `${ruleIds.length - 1} rules not run`;
  expect(stderr).toBe(`Configured by ${config}: ${skipped}.\nNo problems found.\n`);
  const said = `Configured by ${config}; fails on: never. Rules that did not run: missing-owner, `;
  expect((await gcHere(`${few} -o html`)).stdout).toContain(`<p>${said}`);
  expect((await gcHere(`${few} -o markdown`)).stdout).toContain(
    'Rules that did not run: missing-owner, ',
  );
});

test.each([
  ['../outside.json', true],
  ['link/outside.json', true],
  ['charts/shop/inside.json', false],
])('--update-baseline with the baseline %s', async (baseline, isRefused) => {
  if (!existsSync(join(folder, 'link'))) symlinkSync(elsewhere, join(folder, 'link'));
  configured(`  baseline: ${baseline}\n`);
  const { code, stderr } = await gcHere(`${line} --update-baseline`);
  const path = join(folder, baseline);
  expect([code, existsSync(path)]).toEqual(isRefused ? [2, false] : [0, true]);
  expect(stderr.split('\n')[0]).toContain(
    isRefused ? `error: --update-baseline does not write ${path}, ` : ` ${config}.`,
  );
});

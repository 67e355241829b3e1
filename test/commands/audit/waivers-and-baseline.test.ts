import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ruleIds } from '../../../src/audit/audit.ts';
import type { Run } from '../../support/command-line.ts';
import { gcHere } from '../../support/run-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-waivers-'));
afterAll(() => rmSync(folder, { recursive: true }));
const manifests = join(folder, 'manifests.yaml');
const baseline = join(folder, 'baseline.json');
const day = '2026-06-01T12:00:00Z';

interface Annotations {
  readonly [key: string]: string;
}

/** A ConfigMap whose owner does not exist: an error. */
function orphan(name: string, annotations: Annotations = {}): string {
  const notes = JSON.stringify(annotations);
  return `---
apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  namespace: shop
  annotations: ${notes}
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: nobody, uid: 0b5c}]
`;
}

function write(...objects: string[]): void {
  writeFileSync(manifests, objects.join(''));
}

/** Prints the names of what counts. */
function audit(flags: string): Promise<Run> {
  return gcHere(`audit --from ${manifests} --complete --now ${day} -o name ${flags}`);
}

describe('a configuration in a folder above', () => {
  const config = join(folder, '.kubectl-gc.yaml');
  const configured = (lines: string) => {
    writeFileSync(config, `apiVersion: kubectl-gc/v1\nkind: Config\naudit:\n${lines}`);
  };
  const exception = (expires: string) =>
    `  exceptions:\n  - {rule: missing-owner, name: ol*, reason: goes away, expires: ${expires}}\n`;

  beforeEach(() => {
    const below = join(folder, 'charts', 'shop');
    mkdirSync(below, { recursive: true });
    vi.spyOn(process, 'cwd').mockReturnValue(below);
    write(orphan('old'));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(config);
  });

  test('its exception waives, on its last day as well', async () => {
    configured(exception('2026-06-01'));
    expect(await audit('')).toEqual({
      code: 0,
      stdout: '',
      stderr: `Configured by ${config}.\n1 finding: 0 errors, 0 warnings, 0 info, 1 waived.\n`,
    });
  });

  test('its exception is over: the finding counts again, and that is told', async () => {
    configured(exception('2026-05-31'));
    expect(await audit('')).toEqual({
      code: 1,
      stdout: 'configmap/old\n',
      stderr: `Configured by ${config}.
Warning: the configuration does not waive "missing-owner: configmaps shop/old > ConfigMap/nobody" any more: it ended on 2026-05-31
1 finding: 1 error, 0 warnings, 0 info.
`,
    });
  });

  test('the documents name it, and the rules that it leaves out', async () => {
    configured('  onlyRules: [self-owner, event-owner]\n  failOn: never\n');
    const line = `audit --from ${manifests} --complete --now ${day} --skip-rule event-owner`;
    const { stdout, stderr } = await gcHere(`${line} -o json`);
    const { configuration, rules, verdict } = JSON.parse(stdout);
    expect([configuration.path, rules.length, verdict]).toEqual([config, 1, 'passed']);
    expect(configuration.skippedRules).toEqual(ruleIds.filter((id) => id !== 'self-owner'));
    const skipped = `${ruleIds.length - 1} rules not run`;
    expect(stderr).toBe(`Configured by ${config}: ${skipped}.\nNo problems found.\n`);
    const said = `Configured by ${config}; fails on: never. Rules that did not run: missing-owner, `;
    expect((await gcHere(`${line} -o html`)).stdout).toContain(`<p>${said}`);
    expect((await gcHere(`${line} -o markdown`)).stdout).toContain(
      'Rules that did not run: missing-owner, ',
    );
  });

  test.each([
    ['baseline: ../outside.json', true],
    ['baseline: link/outside.json', true],
    ['baseline: charts/shop/inside.json', false],
  ])('--update-baseline with %s', async (setting, isRefused) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'kubectl-gc-elsewhere-'));
    const link = join(folder, 'link');
    symlinkSync(elsewhere, link);
    try {
      configured(`  ${setting}\n`);
      const { code, stderr } = await audit('--update-baseline');
      const path = join(folder, setting.slice('baseline: '.length));
      expect([code, existsSync(path)]).toEqual(isRefused ? [2, false] : [0, true]);
      expect(stderr.split('\n')[0]).toBe(
        isRefused
          ? `error: --update-baseline does not write ${path}, which is outside of the folder of the configuration`
          : `Configured by ${config}.`,
      );
    } finally {
      rmSync(link);
      rmSync(elsewhere, { recursive: true });
    }
  });

  test('--no-config does without it; flags win', async () => {
    configured(`  failOn: never\n${exception('2026-06-01')}`);
    expect((await audit('--no-config')).code).toBe(1);
    write(orphan('new'));
    expect((await audit('')).code).toBe(0);
    expect((await audit('--fail-on error')).code).toBe(1);
  });

  test.each([
    ['  skipRules: [missing-ownr]\n', 'Did you mean missing-owner?'],
    ['  skipRule: [missing-owner]\n', 'Did you mean skipRules?'],
    ['  exceptions: [{name: old, reason: x}]\n', 'audit.exceptions[0].expires is missing'],
    ['  exceptions: [{name: old, expires: 2026-06-01}]\n', 'audit.exceptions[0].reason is missing'],
  ])('%s is refused', async (lines, message) => {
    configured(lines);
    const { code, stdout, stderr } = await audit('');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});

test("an object's annotation waives until its day is over", async () => {
  const waived = { 'kubectl-gc.io/ignore': 'self-owner, missing-owner' };
  write(orphan('old', waived));
  expect((await audit('--no-config')).code).toBe(0);
  write(orphan('old', { ...waived, 'kubectl-gc.io/ignore-until': '2026-05-31' }));
  expect(await audit('--no-config')).toEqual({
    code: 1,
    stdout: 'configmap/old\n',
    stderr: `Warning: the annotation does not waive "missing-owner: configmaps shop/old > ConfigMap/nobody" any more: it ended on 2026-05-31
1 finding: 1 error, 0 warnings, 0 info.
`,
  });
});

describe('a baseline', () => {
  const against = `--no-config --baseline ${baseline}`;

  test('is written, and lets what it knows pass', async () => {
    write(orphan('old'));
    expect(await audit(against)).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: there is no baseline ${baseline}\n  Write one with --update-baseline.\n`,
    });
    expect((await audit(`${against} --update-baseline`)).code).toBe(0);
    expect(JSON.parse(readFileSync(baseline, 'utf8'))).toEqual({
      apiVersion: 'kubectl-gc/v1',
      kind: 'AuditBaseline',
      findings: ['missing-owner: configmaps shop/old > ConfigMap/nobody'],
    });
    const { code, stderr } = await audit(against);
    expect([code, stderr]).toEqual([
      0,
      '1 finding: 0 errors, 0 warnings, 0 info, 1 in the baseline.\n',
    ]);
  });

  test('lets what is new count', async () => {
    write(orphan('old'), orphan('new'));
    const { code, stderr } = await audit(against);
    expect([code, stderr]).toEqual([
      1,
      '2 findings: 1 error, 0 warnings, 0 info, 1 in the baseline.\n',
    ]);
  });

  test('tells what is over, and drops it when it is written again', async () => {
    write(orphan('new'));
    expect((await audit(against)).stderr).toBe(
      '1 finding: 1 error, 0 warnings, 0 info.\n1 entry of the baseline did not occur again; --update-baseline drops it.\n',
    );
    await audit(`${against} --update-baseline`);
    expect(JSON.parse(readFileSync(baseline, 'utf8')).findings).toEqual([
      'missing-owner: configmaps shop/new > ConfigMap/nobody',
    ]);
  });

  test('of another version is neither read nor replaced', async () => {
    const other = '{"apiVersion":"kubectl-gc/v2","kind":"AuditBaseline","findings":[]}';
    writeFileSync(baseline, other);
    for (const flags of [against, `${against} --update-baseline`]) {
      expect(await audit(flags)).toEqual({
        code: 2,
        stdout: '',
        stderr: `error: the baseline ${baseline} is of version "kubectl-gc/v2", and this reads kubectl-gc/v1
  Remove the file, or name another one, and write it with --update-baseline.
`,
      });
    }
    expect(readFileSync(baseline, 'utf8')).toBe(other);
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Run } from '../../support/command-line.ts';
import { gcHere } from '../../support/run-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-baseline-'));
afterAll(() => rmSync(folder, { recursive: true }));
const manifests = join(folder, 'manifests.yaml');
const baseline = join(folder, 'baseline.json');
const day = '2026-06-01T12:00:00Z';

/** A ConfigMap whose owner does not exist: an error. */
function orphan(name: string): string {
  return `---
apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  namespace: shop
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

describe('a baseline', () => {
  const against = `--baseline ${baseline}`;

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

import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { goTool } from '../../../scripts/release/go-tool.ts';
import { gc } from '../../support/run-gc.ts';

/** Prometheus' own linter of metrics, as `promtool check metrics` runs it. */
let linter = '';
beforeAll(() => {
  linter = goTool('promlint');
}, 300_000);

const lint = (input: string) => {
  const { status, stdout, stderr } = spawnSync(linter, { input, encoding: 'utf8' });
  return { status, told: stdout + stderr };
};

describe('what is wrong with metrics, in the eyes of Prometheus', () => {
  test.each([
    ['report', 'report --fail-on never --from examples/clusters/shop.json.gz'],
    ['an audit', 'audit -A -o prometheus --fail-on never --from examples/clusters/shop.json.gz'],
    [
      'a report on a part of a cluster',
      'report --allow-incomplete --fail-on never --from docs/part-of-a-cluster.yaml',
    ],
  ])('nothing: %s', async (_, line) => {
    const { stdout } = await gc(line);
    expect(stdout).toContain('# TYPE kubectl_gc_audit_findings gauge\n');
    expect(lint(stdout)).toEqual({ status: 0, told: '' });
  });

  test('a counter without its ending is found', () => {
    const wrong = '# HELP runs Runs.\n# TYPE runs counter\nruns 1\n';
    expect(lint(wrong)).toEqual({
      status: 3,
      told: 'runs counter metrics should have "_total" suffix\n',
    });
  });
});

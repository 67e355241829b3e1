import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { promtool } from '../../support/deploy-tools.ts';
import { hasTools } from '../../support/has-tools.ts';
import { gc } from '../../support/run-gc.ts';

describe.runIf(hasTools('apt-get', 'dpkg-deb'))('promtool check metrics', () => {
  let tool = '';
  beforeAll(() => {
    tool = promtool();
  }, 300_000);

  const check = (input: string) => {
    const options = { input, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(tool, ['check', 'metrics'], options);
    return { status, told: stdout + stderr };
  };

  test.each([
    ['report', 'report --fail-on never --from examples/clusters/shop.json.gz'],
    ['an audit', 'audit -A -o prometheus --fail-on never --from examples/clusters/shop.json.gz'],
    [
      'a report on a part of a cluster',
      'report --allow-incomplete --fail-on never --from docs/part-of-a-cluster.yaml',
    ],
  ])('finds nothing wrong: %s', async (_, line) => {
    const { stdout } = await gc(line);
    expect(stdout).toContain('# TYPE kubectl_gc_audit_findings gauge\n');
    expect(check(stdout)).toEqual({ status: 0, told: '' });
  });

  test('finds a counter without its ending', () => {
    expect(check('# HELP runs Runs.\n# TYPE runs counter\nruns 1\n')).toEqual({
      status: 3,
      told: 'runs counter metrics should have "_total" suffix\n',
    });
  });
});

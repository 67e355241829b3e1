import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { GuardCounts } from '../../../src/guard/guard-metrics.ts';
import { RecordIndex } from '../../../src/guard/record-index.ts';
import { prometheusText } from '../../../src/output/prometheus-text.ts';
import { render } from '../../../src/questions/render.ts';
import { root } from '../../support/command-line.ts';
import { chart, promtool } from '../../support/deploy-tools.ts';
import { hasTools } from '../../support/has-tools.ts';
import { anyNames, auditOf } from '../../support/hostile-names.ts';
import { gc } from '../../support/run-gc.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);
const folder = temporaryFolder();
const alerts = join(chart, 'files/alerts.yaml');
const dashboard = join(chart, 'files/dashboard.json');
let report: string;
beforeAll(async () => {
  const leftovers = '--from examples/clusters/leftovers.yaml';
  ({ stdout: report } = await gc(`report ${leftovers} --from examples/clusters/shop.json.gz`));
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
}
const alertRules = (): Rule[] => parse(readFileSync(alerts, 'utf8')).groups[0].rules;

/** The queries of the dashboard, with its variables as Grafana would fill them in. */
function queries(): string[] {
  const { panels, templating } = JSON.parse(readFileSync(dashboard, 'utf8'));
  const ofPanels = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  );
  const ofVariables = templating.list.flatMap(({ query }: { query: { query?: string } }) => {
    const [, series] = /^label_values\((.+), \w+\)$/.exec(query.query ?? '') ?? [];
    return series === undefined ? [] : [series];
  });
  return [...ofPanels, ...ofVariables].map((text) =>
    text.replaceAll(/\$(cluster|namespace)/g, '.*').replaceAll('$__rate_interval', '5m'),
  );
}

/** What a guard serves before it has answered anything. */
function guardMetrics(): string {
  const cluster = { index: new RecordIndex(), isSynced: true, stale: undefined };
  const state = { now: 0, areRulesValid: true };
  return prometheusText(new GuardCounts().metrics(cluster, state));
}

/** What the program emits: the names of its metrics, with the labels of each. */
function emitted(): Map<string, Set<string>> {
  // Of a cluster, and by the endpoint only, which test/live asks.
  const live = [
    'kubectl_gc_report_runs_total{result="success"} 1',
    'kubectl_gc_overdue_objects 0',
    'kubectl_gc_oldest_overdue_seconds 0',
  ];
  const all = `${report}${live.join('\n')}\n${guardMetrics()}`;
  const metrics = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of all.matchAll(/^(kubectl_gc_\w+)(?:\{(.*)\})? /gm)) {
    const known = metrics.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    metrics.set(name, known);
  }
  return metrics;
}

test('alerts and dashboard use only metrics and labels that the program emits', () => {
  const metrics = emitted();
  const texts = [...queries(), ...alertRules().map(({ expr }) => expr)];
  expect(texts.length).toBeGreaterThan(20);
  for (const text of texts) {
    const names = text.match(/kubectl_gc_\w+/g) ?? [];
    expect(names, text).not.toEqual([]);
    for (const name of names) expect(metrics.keys(), text).toContain(name);
    const selected = [...text.matchAll(/(\w+)=~?"/g)].map(([, label]) => label);
    const grouped = [...text.matchAll(/by \(([^)]+)\)/g)].flatMap(([, list = '']) =>
      list.split(', '),
    );
    // Whoever has several clusters adds this one.
    const known = new Set(['cluster', ...names.flatMap((name) => [...(metrics.get(name) ?? [])])]);
    for (const label of [...selected, ...grouped]) expect(known, text).toContain(label);
  }
});

test('the dashboard shows every metric of a report but those about one rule or kind', () => {
  const shown = new Set(queries().flatMap((text) => text.match(/kubectl_gc_\w+/g) ?? []));
  const hidden = [...emitted().keys()].filter((name) => !shown.has(name));
  expect(hidden.sort()).toEqual([
    'kubectl_gc_audit_objects',
    'kubectl_gc_audit_problems',
    'kubectl_gc_audit_timestamp_seconds',
    'kubectl_gc_audit_verdict',
    'kubectl_gc_forecast_collector_enabled',
    'kubectl_gc_forecast_horizon_seconds',
    'kubectl_gc_guard_answer_seconds_count',
    'kubectl_gc_guard_answer_seconds_sum',
    'kubectl_gc_guard_rules_valid',
    'kubectl_gc_report_kinds',
  ]);
});

describe.runIf(hasTools('promtool') || hasTools('apt-get', 'dpkg-deb'))('promtool', () => {
  beforeAll(() => void promtool(), 300_000);

  test('accepts the alert rules, and each fires when it should and only then', async () => {
    const { stdout } = await run(promtool(), ['check', 'rules', alerts]);
    expect(stdout).toContain(`SUCCESS: ${alertRules().length} rules found`);
    const cases = join(root, 'test/shipped/deploy/alerts.promtool.yaml');
    const tested = await run(promtool(), ['test', 'rules', cases]);
    expect(tested.stdout).toContain('SUCCESS');
    const fired = [...readFileSync(cases, 'utf8').matchAll(/alertname: (\w+)/g)];
    expect(new Set(fired.map(([, name]) => name))).toEqual(
      new Set(alertRules().map(({ alert }) => alert)),
    );
  });

  test('can parse every query of the dashboard', async () => {
    const rules = queries().map((expr, index) => ({ record: `query:${index}`, expr }));
    const file = join(folder, 'queries.yaml');
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules }] }));
    const { stdout } = await run(promtool(), ['check', 'rules', file]);
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
  });

  const checkMetrics = (input: string) => {
    const options = { input, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(promtool(), ['check', 'metrics'], options);
    return { status, told: stdout + stderr };
  };

  test('finds hostile names sound in the metrics of an audit', async () => {
    await fc.assert(
      fc.asyncProperty(anyNames, async (names) => {
        const options = { colour: false, width: undefined, now: 0 };
        const { status, told } = checkMetrics(await render(auditOf(names), 'prometheus', options));
        expect(status, told).toBe(0);
      }),
      { numRuns: 20 },
    );
  });

  test.each([
    ['a report', 'report --fail-on never --from examples/clusters/shop.json.gz'],
    ['an audit', 'audit -A -o prometheus --fail-on never --from examples/clusters/shop.json.gz'],
    [
      'a report on a part of a cluster',
      'report --allow-incomplete --fail-on never --from docs/part-of-a-cluster.yaml',
    ],
  ])('finds nothing wrong with the metrics of %s', async (_, line) => {
    const { stdout } = await gc(line);
    expect(stdout).toContain('# TYPE kubectl_gc_audit_findings gauge\n');
    expect(checkMetrics(stdout)).toEqual({ status: 0, told: '' });
  });

  test('finds nothing wrong with the metrics of a guard', () => {
    expect(checkMetrics(guardMetrics())).toEqual({ status: 0, told: '' });
  });

  test('finds a counter without its ending', () => {
    expect(checkMetrics('# HELP runs Runs.\n# TYPE runs counter\nruns 1\n')).toEqual({
      status: 3,
      told: 'runs counter metrics should have "_total" suffix\n',
    });
  });
});

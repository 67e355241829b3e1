import { expect, test } from 'vitest';
import { countedByPlace, gaugesOf, prometheusText } from '../../src/output/prometheus-text.ts';

test('labels are escaped as Prometheus and OpenMetrics ask for, and can do nothing on a terminal', () => {
  const namespace = 'a"b\\c\nd\u001be';
  const gauge = gaugesOf('kubectl_gc')('findings', 'Findings.', [
    { labels: { namespace }, value: 2 },
  ]);
  expect(prometheusText([gauge])).toBe(
    [
      '# HELP kubectl_gc_findings Findings.',
      '# TYPE kubectl_gc_findings gauge',
      'kubectl_gc_findings{namespace="a\\"b\\\\c^Jd^[e"} 2',
      '',
    ].join('\n'),
  );
});

test('the smallest of too many label values are counted together, and the sum stays', () => {
  const many = Array.from({ length: 1002 }, (_, index) => `team-${index}`);
  const entries = ['b', 'a', 'a', 'b', 'a', ...many].map((namespace) => ({ rule: 'r', namespace }));
  const counted = countedByPlace(entries);
  expect(counted).toHaveLength(1001);
  expect(counted.slice(0, 2)).toEqual([
    { labels: { rule: 'r', namespace: 'a' }, value: 3 },
    { labels: { rule: 'r', namespace: 'b' }, value: 2 },
  ]);
  expect(counted.at(-1)).toEqual({ labels: { rule: 'r', namespace: '*' }, value: 4 });
  expect(counted.reduce((sum, { value }) => sum + value, 0)).toBe(entries.length);
  expect(countedByPlace(entries.toReversed())).toEqual(counted);
});

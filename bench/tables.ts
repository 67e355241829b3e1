import type { RenderOptions } from '../src/output/style.ts';
import type { InvalidReferencesReport } from '../src/questions/invalid-ownerrefs/document.ts';
import { invalidReferencesTable } from '../src/questions/invalid-ownerrefs/text.ts';
import { median } from './in-turns.ts';

/**
 * How long a table takes, per row: it must not grow with the number of rows.
 *
 *   node bench/tables.ts [ROWS...]
 */
const sizes = process.argv.slice(2).map(Number);
const options: RenderOptions = { colour: false, width: undefined, now: 0 };
const rounds = 5;

console.log('rows\tCPU ms\tµs/row');
for (const rows of sizes.length > 0 ? sizes : [1_250, 5_000, 20_000, 80_000]) {
  const report = reportOf(rows);
  const times = Array.from({ length: rounds }, () => {
    // CPU time: what else the machine does must not count.
    const before = process.cpuUsage();
    let length = 0;
    for (const row of invalidReferencesTable(report, options)) length += row.length;
    if (length === 0) throw new Error('the table is empty');
    return process.cpuUsage(before).user / 1000;
  });
  const ms = median(times);
  console.log([rows, ms.toFixed(0), ((ms * 1000) / rows).toFixed(1)].join('\t'));
}

function reportOf(rows: number): InvalidReferencesReport {
  const items = Array.from({ length: rows }, (_, i) => ({
    class: 'missing-owner',
    object: { apiVersion: 'v1', kind: 'Pod', namespace: 'bench', name: `pod-${i}`, uid: `${i}` },
    consequences: ['deleted on the next pass'] as const,
    rule: 'GC-22.13',
    because: `there is no ReplicaSet web-${i % 1000} in namespace bench`,
    fix: 'remove the reference to keep the object',
  }));
  const coverage = { complete: true, kinds: 1, objects: rows, problems: [] };
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'InvalidOwnerReferences',
    coverage,
    items,
    patches: [],
    unknown: [],
  };
}

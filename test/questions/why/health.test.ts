import { expect, test } from 'vitest';
import { garbageCollectorHealthReport } from '../../../src/questions/why/document.ts';
import { diagnosisTable } from '../../../src/questions/why/text.ts';
import { healthCheck } from '../../../src/why/garbage-collector/health-check.ts';

const checks = [
  healthCheck('leader', 'ok', 'it leads'),
  healthCheck('kinds', 'ok', 'all are listed'),
  healthCheck('admission', 'degraded', 'some are refused', { except: ['configmaps'] }),
];
const report = garbageCollectorHealthReport(checks, undefined);

test('the verdict on the garbage collector comes first, and a terminal folds what is well', () => {
  const text = (height?: number) =>
    diagnosisTable(report, { colour: false, width: 80, height, now: 0 });
  expect(text()).toMatchInlineSnapshot(`
    "Garbage collector: works, except for configmaps
    ok       leader: it leads
    ok       kinds: all are listed
    degraded admission: some are refused
    "
  `);
  expect(text(24)).toMatchInlineSnapshot(`
    "Garbage collector: works, except for configmaps
    ok       leader, kinds
    degraded admission: some are refused
    "
  `);
});

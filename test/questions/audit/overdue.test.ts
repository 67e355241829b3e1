import { expect, test } from 'vitest';
import { dueByAudit, withOverdueFindings } from '../../../src/questions/audit/document.ts';
import { reportOf } from '../../support/audit-report.ts';
import { configMap, ownedByGone } from '../../support/builders.ts';

test('what the garbage collector should have deleted is overdue while some of it is refused', () => {
  const owned = { ownerReferences: [ownedByGone('apps/v1 Deployment gone')] };
  const report = reportOf([configMap('pinned', owned), configMap('well')], {});
  const overdueWhere = (health: 'works' | 'works-except') =>
    withOverdueFindings(report, { health, because: 'seen', overdue: 1 }).items.map(
      ({ object, rule, overdue = false }) => [object.name, rule, overdue],
    );
  expect([...dueByAudit(report)]).toEqual(['uid-configmap-shop-pinned']);
  expect(overdueWhere('works-except')).toEqual([['pinned', 'missing-owner', true]]);
  expect(overdueWhere('works')).toEqual([['pinned', 'missing-owner', false]]);
});

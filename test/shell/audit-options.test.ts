import { expect, test } from 'vitest';
import { manifestRuleIds, ruleIds } from '../../src/audit/audit.ts';
import { asCreated } from '../../src/audit/unapplied-manifests.ts';
import { chooseAudit } from '../../src/shell/audit/audit-options.ts';
import { builderOf } from '../support/builders.ts';

const chosen = (flags: Partial<Parameters<typeof chooseAudit>[0]>) =>
  chooseAudit({ 'no-config': true, ...flags } as Parameters<typeof chooseAudit>[0]);

test('rules about objects of a cluster are named where manifests are compared with one', async () => {
  const others = ruleIds.filter((id) => !manifestRuleIds.includes(id));
  const against = { 'against-cluster': true };
  expect((await chosen(against)).inapplicableRules).toEqual(others);
  expect((await chosen({})).inapplicableRules).toEqual([]);
  const [skipped = ''] = others;
  const { inapplicableRules } = await chosen({ ...against, 'skip-rule': [skipped] });
  expect(inapplicableRules).toEqual(others.slice(1));
});

test('a claim is judged with the finalizer that the API server adds to it', () => {
  const claim = builderOf('v1', 'PersistentVolumeClaim')('data');
  expect(asCreated(claim, 0).finalizers).toEqual(['kubernetes.io/pvc-protection']);
  expect(asCreated(builderOf('v1', 'ConfigMap')('c'), 1).finalizers).toEqual([]);
});

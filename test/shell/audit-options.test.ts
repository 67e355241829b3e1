import { expect, test } from 'vitest';
import { manifestRuleIds, ruleIds } from '../../src/audit/audit.ts';
import { asCreated } from '../../src/audit/unapplied-manifests.ts';
import { chooseAudit } from '../../src/shell/audit/audit-options.ts';
import { builderOf } from '../support/builders.ts';

const chosen = (flags: Partial<Parameters<typeof chooseAudit>[0]>) =>
  chooseAudit({ 'no-config': true, ...flags } as Parameters<typeof chooseAudit>[0]);

test('where manifests are compared with a cluster, only their rules run, and a rule that nothing chose is not named', async () => {
  const against = { 'against-cluster': true };
  const manifests = await chosen(against);
  expect([[...manifests.rules], manifests.inapplicableRules]).toEqual([manifestRuleIds, []]);
  const cluster = await chosen({});
  expect([[...cluster.rules], cluster.inapplicableRules]).toEqual([ruleIds, []]);
});

test('a claim is judged with the finalizer that the API server adds to it', () => {
  const claim = builderOf('v1', 'PersistentVolumeClaim')('data');
  expect(asCreated(claim, 0).finalizers).toEqual(['kubernetes.io/pvc-protection']);
  expect(asCreated(builderOf('v1', 'ConfigMap')('c'), 1).finalizers).toEqual([]);
});

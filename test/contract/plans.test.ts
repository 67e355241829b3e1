import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparePolicies } from '../../src/deletion/plan/compare-policies.ts';
import { planDeletion } from '../../src/deletion/plan/plan-deletion.ts';
import { readPlan, sealPlan } from '../../src/deletion/saved-plan.ts';
import { context } from '../deletion/plan/planned.ts';
import { anySnapshot } from '../support/any-snapshot.ts';
import { randomCases } from '../support/random-cases.ts';
import { asPublished, validDocument } from './valid-document.ts';

test('whatever the cluster, plans are as published, and are read back as they were', {
  timeout: 120_000,
}, () => {
  const anyIntent = fc.record({
    policy: fc.constantFrom('Background' as const, 'Foreground' as const),
  });
  fc.assert(
    fc.property(anySnapshot(), anyIntent, (snapshot, intent) => {
      const targets = snapshot.records.slice(0, 2);
      const sealed = sealPlan(planDeletion(snapshot, { ...intent, targets }, context));
      const text = JSON.stringify(sealed);
      validDocument('plan', text);
      expect(readPlan(text, 'plan.json')).toEqual(sealed);
      asPublished('deletion-comparison', comparePolicies(snapshot, { targets }, context));
    }),
    { numRuns: randomCases(15) },
  );
});

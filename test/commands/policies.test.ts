import { expect, test } from 'vitest';
import { referenceRules } from '../../src/audit/rules/reference-rules.ts';
import { policyRows } from '../../src/commands/policies/admission-policies.ts';
import { gcHere } from '../support/run-here.ts';

const from = '--from test/fixtures/policies';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly variables?: readonly { readonly name: string; readonly expression: string }[];
    readonly validationActions?: readonly string[];
  };
}

async function manifestsOf(line: string): Promise<Manifest[]> {
  const { code, stdout, stderr } = await gcHere(`${line} -o json`);
  expect([code, stderr]).toEqual([0, '']);
  return (JSON.parse(stdout) as { items: Manifest[] }).items;
}

test('the table names every class of wrong references once', () => {
  const about = policyRows.map((row) => row.about);
  const classes = referenceRules.map(({ id }) => id);
  expect(about.filter((one) => !one.startsWith('deletion of')).toSorted()).toEqual(
    classes.toSorted(),
  );
});

test('a policy knows the kinds that the input defines, and stands before its binding', async () => {
  const manifests = await manifestsOf(
    `policies namespaced-owner-of-cluster-object --action Deny ${from}`,
  );
  const name = 'kubectl-gc-namespaced-owner-of-cluster-object';
  expect(manifests.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
    ['ValidatingAdmissionPolicy', name],
    ['ValidatingAdmissionPolicyBinding', name],
  ]);
  const [policy, binding] = manifests;
  const known = policy?.spec.variables?.find((variable) => variable.name === 'known')?.expression;
  const kinds = (known ?? '').slice(1, -1).split(', ');
  const asked = ["'/ConfigMap'", "'/Node'", "'example.com/Gadget'", "'example.com/Widget'"];
  expect(asked.filter((kind) => kinds.includes(kind))).toEqual([
    "'/ConfigMap'",
    "'example.com/Widget'",
  ]);
  expect(binding?.spec.validationActions).toEqual(['Deny']);
});

test('policies without names prints every policy, and each warns', async () => {
  const manifests = await manifestsOf(`policies ${from}`);
  const named = new Set(policyRows.flatMap(({ policy }) => policy ?? []));
  expect(new Set(manifests.map(({ metadata }) => metadata.name))).toEqual(
    new Set([...named].map((name) => `kubectl-gc-${name}`)),
  );
  const actions = manifests.flatMap(({ spec }) => spec.validationActions ?? []);
  expect(actions).toEqual([...named].map(() => 'Warn'));
});

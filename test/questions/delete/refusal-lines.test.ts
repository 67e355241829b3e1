import { expect, test } from 'vitest';
import type { Plan, PlanRefusal } from '../../../src/deletion/plan/plan.ts';
import { serverRefuses } from '../../../src/deletion/plan/plan-totals.ts';
import { fullNameOf, referenceTo } from '../../../src/kube/object-reference.ts';
import { refusalLines } from '../../../src/questions/delete/plan-words.ts';
import { configMap } from '../../support/builders.ts';

const refused = (name: string, words: string): PlanRefusal => {
  const object = referenceTo(configMap(name));
  const message = `${serverRefuses}: ${fullNameOf(object)}: ${words}`;
  return { code: 'refused-by-server', object, message, suggestions: [] };
};
const linesOf = (...refusals: PlanRefusal[]) =>
  refusalLines({ refusals } as unknown as Plan, { colour: false, wide: false, now: 0 } as never);

test('what the server says of several objects is said once, with the objects in order', () => {
  const lines = linesOf(refused('b', 'x509'), refused('other', 'denied'), refused('a', 'x509'));
  expect(lines).toMatchInlineSnapshot(`
    [
      "Would be refused: the API server refuses this: ConfigMap shop/a, ConfigMap shop/b: x509",
      "Would be refused: the API server refuses this: ConfigMap shop/other: denied",
    ]
  `);
});

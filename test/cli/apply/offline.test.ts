import { expect, test } from 'vitest';
import { validDocument } from '../../contract/valid-document.ts';
import { gcHere } from '../../support/run-here.ts';

const from =
  '--from examples/clusters/leftovers.yaml --complete --now 2026-01-31T12:00:00Z --apply';

test.each([
  ['podgc-preview --threshold 2', ['web-x7k2p', 'db-0', 'cache-0', 'import'], ['report-1']],
  ['podgc-preview --keep 2 -l app=none', [], []],
  ['forecast --collector ttl-after-finished,csr-cleaner', [], ['migrate', 'csr-worker-9']],
])('%s --from: a plan as published, and nothing is sent', async (line, due, notDue) => {
  const { code, stdout, stderr } = await gcHere(`${line} ${from} -o json`);
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/^Nothing was sent: this is a plan made from files\.$/m);
  const plan = validDocument('plan', stdout);
  const requested = plan.requests.map(({ name }: { readonly name: string }) => name);
  expect(requested).toEqual(due);
  const later = plan.leftAlone.flatMap(
    ({ object, because }: { readonly object: { name: string }; readonly because: string }) =>
      because.startsWith('not before ') ? [object.name] : [],
  );
  expect(later).toEqual(notDue);
});

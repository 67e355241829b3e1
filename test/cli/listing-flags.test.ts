import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';

/** What the flags of lists print stands in test/fixtures/transcripts/lists.txt. */
const example = '--from examples/clusters/shop.json.gz';

test.each([
  `orphans -A ${example}`,
  `invalid-ownerrefs -A ${example}`,
  `forecast --within 7d ${example}`,
  `audit -n shop --fail-on never ${example}`,
])('--sort-by orders the document: %s', async (line) => {
  const { stdout } = await gcHere(`${line} --sort-by .object.name -o json`);
  const { items } = JSON.parse(stdout) as { items: { object: { name: string } }[] };
  const names = items.map(({ object }) => object.name);
  expect(names).toEqual(names.toSorted((a, b) => (a < b ? -1 : 1)));
  expect(names.length).toBeGreaterThan(1);
});

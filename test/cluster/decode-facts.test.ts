import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readList } from '../../src/cluster/list/list-objects.ts';
import { StringPool } from '../../src/cluster/protobuf/string-pool.ts';
import { factFieldsOf } from '../../src/kube/facts/object-facts.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { recordOf } from '../../src/kube/record-codec.ts';
import { groupResourceOf } from '../../src/kube/resource-type.ts';
import { objectsWithFacts } from '../support/objects-with-facts.ts';
import { builtIn } from './built-in.ts';
import { protobuf } from './fake-client.ts';

const folder = new URL('recorded/facts/', import.meta.url);
const names = readdirSync(folder);
const recorded = names.flatMap((name) => (name.endsWith('.pb') ? name.slice(0, -3) : []));

/** The records of a list that a real API server wrote. */
async function recordsOf(resource: string) {
  const { headers = {} } = protobuf(Buffer.alloc(0));
  const body = [readFileSync(new URL(`${resource}.pb`, folder))];
  const response = {
    status: 200,
    headers,
    body: (async function* () {
      yield* body;
    })(),
  };
  const records: ObjectRecord[] = [];
  await readList(response, builtIn(resource), new StringPool(64), records, 0);
  return records;
}

test.each(recorded)('%s: the same facts as from JSON', async (resource) => {
  const { items } = JSON.parse(readFileSync(new URL(`${resource}.json`, folder), 'utf8')) as {
    items: { metadata: Record<string, unknown> }[];
  };
  const records = await recordsOf(resource);
  expect(records.map(({ facts }) => facts)).toEqual(
    items.map((item) => recordOf(item, builtIn(resource)).facts),
  );
  // Equal in the order of their fields, too: a printed snapshot is the same from either.
  expect(JSON.stringify(records.map(({ facts }) => facts))).toBe(
    JSON.stringify(items.map((item) => recordOf(item, builtIn(resource)).facts)),
  );
  const written = objectsWithFacts.filter(({ object }) => object.kind === builtIn(resource).kind);
  for (const { object, facts } of written) {
    const read = records.find(({ name }) => name === object.metadata.name);
    // Certificates are issued anew for each run.
    const issued = facts?.certificate && { certificate: expect.anything() };
    expect(read).toMatchObject({ facts: facts && { ...facts, ...issued } });
  }
});

test('every kind with facts was recorded', () => {
  const kinds = objectsWithFacts.map(({ object }) => object.kind);
  expect(recorded.filter((resource) => !factFieldsOf(builtIn(resource)))).toEqual([]);
  expect(new Set(recorded.map((resource) => builtIn(resource).kind))).toEqual(
    new Set(kinds.filter((kind) => kind !== 'Secret')),
  );
  expect(recorded.map((resource) => groupResourceOf(builtIn(resource)))).toEqual(recorded);
});

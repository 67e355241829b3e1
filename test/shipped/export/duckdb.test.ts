import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { duckDb } from '../../support/duckdb.ts';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** DuckDB finds in the tables what the commands find in the snapshots. */
const folder = temporaryFolder();
const clusters = readdirSync('examples/clusters').map((name) => join('examples/clusters', name));

let query: (sql: string) => Promise<Record<string, unknown>[]>;
beforeAll(async () => {
  query = await duckDb();
  const { code, stderr } = await gcHere(`snapshot export ${clusters.join(' ')} --to ${folder}`);
  expect([code, stderr.split('\n').at(-2)]).toEqual([
    0,
    expect.stringMatching(/^Exported \d+ objects and \d+ references to /),
  ]);
}, 300_000);

/** The SQL of a block of docs/export.md, by the line of text before it. */
function documented(title: string): string {
  const page = readFileSync('docs/export.md', 'utf8');
  const at = page.indexOf(title);
  const sql = /```sql\n([\s\S]*?)```/.exec(page.slice(at))?.[1];
  if (at < 0 || sql === undefined) throw new Error(`docs/export.md has no SQL below ${title}`);
  return sql.replaceAll("'tables/", `'${folder}/`);
}

interface Found {
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly owners: string;
  readonly references: readonly unknown[];
  readonly gc: { readonly action: string };
}

async function orphansOf(cluster: string): Promise<string[]> {
  const { stdout } = await gcHere(`orphans -A -o json --from ${cluster}`);
  const { items } = JSON.parse(stdout) as { items: Found[] };
  const from = cluster.replace(/^.*\//, '').replace(/\.(json\.gz|yaml)$/, '');
  const found = items.filter(({ references }) => references.length > 0);
  return found.map(({ object: { kind, namespace, name }, owners, gc }) =>
    [from, kind, namespace, name, owners, gc.action].join(' '),
  );
}

describe('the orphans of all clusters', () => {
  const expected: string[] = [];
  beforeAll(async () => {
    for (const cluster of clusters) expected.push(...(await orphansOf(cluster)));
    expect(expected.length).toBeGreaterThan(5);
  });

  test.each([
    ['by the column that says so', 'Objects whose owners do not exist'],
    ['by a join of objects and references', 'The same from the verdicts alone'],
  ])('are found %s', async (_, title) => {
    const rows = await query(documented(title));
    const found = rows.map(({ cluster, kind, namespace, name, owners_state, gc_action }) =>
      [cluster, kind, namespace, name, owners_state, gc_action].join(' '),
    );
    expect(found.sort()).toEqual(expected.toSorted());
  });
});

test('times, flags, numbers and JSON are columns of those types', async () => {
  const types = await query(
    `SELECT column_name, column_type FROM (DESCRIBE SELECT o.*, r.position, r.controller, r.verdict
     FROM '${folder}/objects.parquet' o JOIN '${folder}/references.parquet' r USING (cluster, uid))`,
  );
  expect(Object.fromEntries(types.map((row) => [row.column_name, row.column_type]))).toMatchObject({
    cluster: 'VARCHAR',
    observed_at: 'TIMESTAMP',
    created_at: 'TIMESTAMP',
    owners: 'INTEGER',
    position: 'INTEGER',
    controller: 'BOOLEAN',
  });
  const [labels] = await query(
    `SELECT json_extract_string(labels, '$.app') AS app FROM '${folder}/objects.parquet'
     WHERE cluster = 'shop' AND kind = 'Deployment' AND name = 'web'`,
  );
  expect(labels).toEqual({ app: 'web' });
});

test.each([
  'What is stuck in deletion',
  'Which kinds have most objects without an owner',
  'What could not be read',
])('the example "%s" runs', async (title) => {
  expect(Array.isArray(await query(documented(title)))).toBe(true);
});

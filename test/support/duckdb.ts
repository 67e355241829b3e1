// DuckDB, which reads what `snapshot export` writes: fetched once from the npm registry, and kept.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cached, fill } from '../../scripts/release/go-tool.ts';

const version = '1.5.6-r.1';

interface DuckDb {
  readonly DuckDBInstance: {
    create(path: string): Promise<{
      connect(): Promise<{
        runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): Record<string, unknown>[] }>;
      }>;
    }>;
  };
}

/** Answers the rows of a query as JSON, in a database of its own. */
export async function duckDb(): Promise<(sql: string) => Promise<Record<string, unknown>[]>> {
  const kept = cached('tools', `duckdb-${version}`);
  if (!existsSync(kept)) {
    fill(kept, (scratch) => {
      const line = ['install', '--silent', '--no-save', '--ignore-scripts', '--prefix', scratch];
      execFileSync('npm', [...line, `@duckdb/node-api@${version}`], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      return scratch;
    });
  }
  const { DuckDBInstance } = createRequire(join(kept, 'x.js'))('@duckdb/node-api') as DuckDb;
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  return async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
}

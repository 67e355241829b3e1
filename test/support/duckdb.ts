// DuckDB, which reads what `snapshot export` writes.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installedTool } from './installed-tool.ts';

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
  const kept = installedTool(`duckdb-${version}`, `@duckdb/node-api@${version}`);
  const { DuckDBInstance } = createRequire(join(kept, 'x.js'))('@duckdb/node-api') as DuckDb;
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  return async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
}

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { usageError } from '../../errors.ts';
import { makeFolder, openWhole } from '../../files/write-whole.ts';
import { exportTables } from '../../output/export/export-tables.ts';
import { ParquetFile } from '../../output/export/parquet.ts';
import { interrupted } from '../../perform/interrupted.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

interface ExportOptions {
  /** The folder that gets a file for each table. */
  readonly folder: string;
  /** Replaces the files of an earlier export. */
  readonly force: boolean;
  readonly open: (path: string) => Promise<Snapshot>;
}

/** Rows written, by table. */
type Written = ReadonlyMap<string, number>;

/** The files as tables, one after the other: each is a cluster of its own. */
export async function exportSnapshots(
  paths: readonly string[],
  options: ExportOptions,
): Promise<Written> {
  const clusters = clustersOf(paths);
  const { folder, force, open } = options;
  const files = exportTables.map((table) => ({
    table,
    path: join(folder, `${table.name}.parquet`),
  }));
  const old = files.find(({ path }) => existsSync(path));
  if (old && !force) {
    throw usageError(`${old.path} already exists`, [
      'Nothing was exported. Name another folder, or replace the tables in this one with --force.',
    ]);
  }
  await makeFolder(folder, notExported);
  return withInterruption(async ({ signal }) => {
    const outputs = await Promise.all(
      files.map(async ({ table, path }) => {
        const write = await openWhole(path, { mode: 0o600, suggestions: notExported });
        const pieces = new PassThrough();
        // What ends it early is told once, by `written`.
        pieces.on('error', () => undefined);
        return { table, pieces, file: new ParquetFile(table), written: write(pieces, { signal }) };
      }),
    );
    const all = Promise.all(outputs.map(({ written }) => written));
    // Awaited below; until then it must not count as unhandled.
    all.catch(() => undefined);
    try {
      for (const [cluster, path] of clusters) {
        const graph = buildGraph(await open(path));
        for (const { table, pieces, file } of outputs) {
          for (const piece of file.add(table.rows(graph, cluster))) {
            if (!pieces.write(piece)) await Promise.race([once(pieces, 'drain'), all]);
          }
        }
      }
      for (const { pieces, file } of outputs) pieces.end(file.end());
      await all;
    } catch (error) {
      for (const { pieces } of outputs) pieces.destroy(error as Error);
      await Promise.allSettled(outputs.map(({ written }) => written));
      throw signal.aborted ? interrupted('Nothing was exported.') : error;
    }
    return new Map(outputs.map(({ table, file }) => [table.name, file.rows]));
  });
}

const notExported = ['Nothing was exported. Name a folder you may write to.'];

/** `prod` of `clusters/prod.json.gz`: as `snapshot save --context` names its files. */
function clustersOf(paths: readonly string[]): ReadonlyMap<string, string> {
  const clusters = new Map<string, string>();
  for (const path of paths) {
    const name = basename(path).replace(/(?:\.(?:json|ya?ml|ndjson|jsonl))?(?:\.(?:gz|zst))?$/, '');
    const same = clusters.get(name);
    if (same !== undefined) {
      throw usageError(`${same} and ${path} would both be the cluster ${name}`, [
        'Rename one of them, or export them into folders of their own.',
      ]);
    }
    clusters.set(name, path);
  }
  return clusters;
}

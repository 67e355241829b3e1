import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import * as Flags from '@oclif/core/flags';
import { usageError } from '../../errors.ts';
import { makeFolder, openWhole } from '../../files/write-whole.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { interrupted } from '../../perform/interrupted.ts';
import { exportTables } from '../../questions/snapshot/export-tables.ts';
import { ParquetFile } from '../../questions/snapshot/parquet.ts';
import { booleanFlag } from '../../shell/flags/flag-kinds.ts';
import type { CommonFlags } from '../../shell/flags/flags.ts';
import { namedFiles, openFiles } from '../../shell/input/read-files.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import { warnOfGaps } from '../../shell/terminal/streams.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';

export default class SnapshotExport extends GcCommand {
  static override summary = 'Export snapshots as Parquet tables for SQL';
  static override description = [
    'A folder gets objects.parquet, references.parquet and problems.parquet. Each FILE is a cluster',
    'named after the file.',
  ].join(' ');
  static override usage = '<%= command.id %> FILE... --to DIR';
  static override examples = [
    '<%= config.bin %> snapshot export cluster.json.gz --to tables/',
    '<%= config.bin %> snapshot export clusters/*.json.gz --to tables/ --force',
    '<%= config.bin %> snapshot export examples/clusters/shop-later.json.gz --to ~/later',
    '<%= config.bin %> snapshot export examples/clusters/*.json.gz --to ~/all',
    '<%= config.bin %> snapshot export examples/clusters/shop.json.gz --to ~/tables',
  ];
  static override strict = false;
  static override flags = {
    to: Flags.string({
      summary: 'the folder for the tables; made if missing',
      helpValue: 'DIR',
      required: true,
    }),
    force: booleanFlag('replace the tables that are in the folder'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(SnapshotExport);
    const paths = namedFiles(flags, argv as string[], 'export');
    const rows = await exportSnapshots(paths, flags);
    const objects = counted(rows.get('objects') ?? 0, 'object');
    const references = counted(rows.get('references') ?? 0, 'reference');
    this.remark(`Exported ${objects} and ${references} to ${flags.to}.`);
  }
}

/** Writes the files as tables, one after the other: each file is one cluster. Returns the number of rows by table. */
async function exportSnapshots(
  paths: readonly string[],
  flags: CommonFlags & { readonly to: string; readonly force: boolean },
): Promise<ReadonlyMap<string, number>> {
  const clusters = clustersOf(paths);
  const files = exportTables.map((table) => ({
    table,
    path: join(flags.to, `${table.name}.parquet`),
  }));
  const old = files.find(({ path }) => existsSync(path));
  if (old && !flags.force) {
    throw usageError(`${old.path} already exists`, [
      'Nothing was exported. Name another folder, or replace the tables in this one with --force.',
    ]);
  }
  await makeFolder(flags.to, notExported);
  return withInterruption(async (signal) => {
    const outputs = await Promise.all(
      files.map(async ({ table, path }) => {
        const write = await openWhole(path, { mode: 0o600, suggestions: notExported });
        const pieces = new PassThrough();
        // `written` reports once what ended it early.
        pieces.on('error', () => undefined);
        return { table, pieces, file: new ParquetFile(table), written: write(pieces, { signal }) };
      }),
    );
    const all = Promise.all(outputs.map(({ written }) => written));
    // Awaited below; until then it must not count as unhandled.
    all.catch(() => undefined);
    try {
      for (const [cluster, path] of clusters) {
        const snapshot = await openFiles(flags, [path]);
        warnOfGaps(snapshot.coverage.problems);
        const graph = buildGraph(snapshot);
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
      throw usageError(
        `${same} and ${path} would both be the cluster ${name}: their rows could not be distinguished`,
        ['Rename one of them, or export them into folders of their own.'],
      );
    }
    clusters.set(name, path);
  }
  return clusters;
}

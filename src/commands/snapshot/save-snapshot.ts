import type { Transform } from 'node:stream';
import { crc32, createGzip, createZstdCompress } from 'node:zlib';
import { openWhole } from '../../files/write-whole.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { interrupted } from '../../perform/interrupted.ts';
import { refuseForeignFile } from '../../shell/foreign-file.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import { writeOut } from '../../shell/terminal/streams.ts';
import { encodeSnapshot } from '../../snapshot/saved-snapshot.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

type SaveSnapshot = (snapshot: Snapshot) => Promise<void>;

/**
 * Makes sure that a file can be written, before a cluster is read for it. The answer writes a
 * snapshot as it is encoded; a file appears whole or not at all. A file that holds something else than
 * a snapshot is replaced only with `force`.
 */
export async function openSave(path: string, force: boolean): Promise<SaveSnapshot> {
  if (path === '-') {
    return async (snapshot) => {
      for (const text of encodeSnapshot(snapshot, crc32)) await writeOut(text);
    };
  }
  const write = await openWhole(path, {
    mode: 0o600,
    suggestions: ['Nothing was saved. Name a file in a folder you may write to.'],
  });
  if (!force) await refuseForeignFile(path, 'Snapshot', replaceable);
  return (snapshot) =>
    withInterruption(async ({ signal }) => {
      const how = { through: compressorFor(path), signal };
      await write(encodeSnapshot(snapshot, crc32), how).catch((error: unknown) => {
        throw signal.aborted ? interrupted(`Nothing was saved to ${path}.`) : error;
      });
    });
}

const replaceable = 'Nothing was saved. Name another file, or replace this one with --force.';

function compressorFor(path: string): Transform | undefined {
  if (path.endsWith('.gz')) return createGzip();
  if (path.endsWith('.zst')) return createZstdCompress();
  return undefined;
}

/** Metadata and nothing else. */
export function withoutFacts({ evidence: _, records, ...snapshot }: Snapshot): Snapshot {
  return {
    ...snapshot,
    records: records.map((record) => ({ ...record, facts: undefined })),
  };
}

/** What a reading of this namespace alone would have seen: its objects, and all cluster-scoped ones. */
export function inNamespace(snapshot: Snapshot, namespace: string): Snapshot {
  const { records, types, coverage } = snapshot;
  const namespaced = new Set(types.all.filter((type) => type.namespaced).map(groupResourceOf));
  return {
    ...snapshot,
    records: records.filter((record) => !record.type.namespaced || record.namespace === namespace),
    coverage: {
      read: coverage.read.flatMap(({ resource, namespaces }) => {
        if (!namespaced.has(resource)) return [{ resource }];
        if (namespaces && !namespaces.includes(namespace)) return [];
        return [{ resource, namespaces: [namespace] }];
      }),
      asked: coverage.asked.filter(
        (object) => object.namespace === '' || object.namespace === namespace,
      ),
      problems: coverage.problems.filter(
        (problem) => problem.namespace === undefined || problem.namespace === namespace,
      ),
    },
  };
}

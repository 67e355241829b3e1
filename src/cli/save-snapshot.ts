import { randomBytes } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { access, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createGzip, createZstdCompress } from 'node:zlib';
import { GcError, isGcError } from '../errors.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { encodeSnapshot } from '../snapshot/saved-snapshot.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { refuseForeignFile } from './foreign-file.ts';
import { writeOut } from './terminal/streams.ts';

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
  // What is not a file, such as /dev/stdout, cannot be replaced by one.
  const { whole, partial } = await placesOf(path, force).catch((cause: unknown) => {
    throw isGcError(cause) ? cause : cannotWrite(path, cause);
  });
  return async (snapshot) => {
    try {
      const source = Readable.from(encodeSnapshot(snapshot, crc32));
      // Never through a link or into a file that lies where the partial file goes.
      const flags = whole === partial ? 'w' : 'wx';
      const sink = createWriteStream(partial, { mode: 0o600, flags });
      const compressor = compressorFor(path);
      await (compressor ? pipeline(source, compressor, sink) : pipeline(source, sink));
      if (whole !== partial) await rename(partial, whole);
    } catch (cause) {
      if (whole !== partial) await rm(partial, { force: true });
      throw cannotWrite(path, cause);
    }
  };
}

async function placesOf(path: string, force: boolean): Promise<{ whole: string; partial: string }> {
  const folder = await realpath(dirname(path));
  if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`);
  await access(folder, constants.W_OK);
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory()) throw new Error('it is a folder');
  if (stats && !stats.isFile()) return { whole: path, partial: path };
  if (!force) await refuseForeignFile(path, 'Snapshot', replaceable);
  const whole = stats ? await realpath(path) : join(folder, basename(path));
  return { whole, partial: join(dirname(whole), `.${randomBytes(8).toString('hex')}.partial`) };
}

const replaceable = 'Nothing was saved. Name another file, or replace this one with --force.';

function cannotWrite(path: string, cause: unknown): GcError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new GcError(`cannot write ${path}: ${reasons[code ?? ''] ?? message}`, {
    code: 'cannot-write',
    cause,
    suggestions: ['Nothing was saved. Name a file in a folder you may write to.'],
  });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of its path is not a folder',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
};

function compressorFor(path: string): Transform | undefined {
  if (path.endsWith('.gz')) return createGzip();
  if (path.endsWith('.zst')) return createZstdCompress();
  return undefined;
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

import { type Dirent, promises as fs } from 'node:fs';
import { join } from 'node:path';
import { GcError } from '../errors.ts';
import { compareText } from '../kube/names.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import { reasonUnreadable } from './file-bytes.ts';

interface FoundInputs {
  /** `ignoresOthers`: a folder of dumps also holds files that are not objects. */
  readonly files: { readonly path: string; readonly ignoresOthers: boolean }[];
  readonly problems: CoverageProblem[];
}

const otherwisePacked = /\.(?:ya?ml|json|ndjson|jsonl)\.(?:bz2|br|xz|lz4|lzma|zip|7z)$/i;
const manifest = /\.(?:ya?ml|json|ndjson|jsonl)(?:\.(?:gz|zst))?$/i;

/**
 * The manifests below a folder, in lexical order; hidden folders are passed by, links are followed. A
 * folder is read once, under the first path that leads to it: links that fan out would never end.
 */
export async function findInputs(folder: string): Promise<FoundInputs> {
  const found: FoundInputs = { files: [], problems: [] };
  await walk(folder, false, new Set(), found);
  return found;
}

async function walk(
  folder: string,
  isDump: boolean,
  read: Set<string>,
  found: FoundInputs,
): Promise<void> {
  let entries: Dirent[];
  let real: string;
  try {
    real = await fs.realpath(folder);
    entries = await fs.readdir(folder, { withFileTypes: true });
  } catch (error) {
    const message = `the folder ${folder} cannot be read: ${reasonUnreadable(error)}`;
    found.problems.push({ reason: 'unreadable', message, path: folder });
    return;
  }
  if (read.has(real)) return;
  read.add(real);
  const names = entries.map(({ name }) => name);
  const mustGather = isMustGather(names);
  for (const entry of entries.sort((a, b) => compareText(a.name, b.name))) {
    const { name } = entry;
    const full = join(folder, name);
    const kind = await kindOf(entry, full);
    if (kind === 'folder' && !name.startsWith('.')) {
      if (!mustGather || mustGatherFolders.has(name)) {
        await walk(full, isDump || mustGather, read, found);
      }
    } else if (kind === 'file' && manifest.test(name) && !mustGather) {
      found.files.push({ path: full, ignoresOthers: isDump });
    } else if (!mustGather) {
      const fault = faultOf(name, kind);
      if (fault !== undefined) {
        found.problems.push({ reason: 'unreadable', message: `${full} ${fault}`, path: full });
      }
    }
  }
}

/** Why something that looks like a manifest is not read; undefined for all else. */
function faultOf(name: string, kind: 'file' | 'folder' | 'broken-link' | 'other') {
  if (kind === 'file' && otherwisePacked.test(name)) {
    return 'is compressed, but neither with gzip nor with zstd: decompress it first';
  }
  if (!manifest.test(name)) return undefined;
  if (kind === 'broken-link') return 'is a broken link';
  return kind === 'other' ? 'is a pipe, socket or device, not a file' : undefined;
}

const mustGatherFolders = new Set(['cluster-scoped-resources', 'namespaces']);

/** `oc adm must-gather` and `oc adm inspect` keep objects in two folders, beside much else. */
function isMustGather(names: readonly string[]): boolean {
  return (
    names.includes('cluster-scoped-resources') ||
    (names.includes('namespaces') && names.includes('timestamp'))
  );
}

async function kindOf(
  entry: Dirent,
  path: string,
): Promise<'file' | 'folder' | 'broken-link' | 'other'> {
  if (entry.isDirectory()) return 'folder';
  if (entry.isFile()) return 'file';
  if (!entry.isSymbolicLink()) return 'other';
  try {
    const target = await fs.stat(path);
    return target.isDirectory() ? 'folder' : target.isFile() ? 'file' : 'other';
  } catch {
    return 'broken-link';
  }
}

/** What may be saved output: the files of a folder and those below, each with the folder that it lies in; `-` is standard input. */
export async function filesBelow(path: string): Promise<{ folder: string; file: string }[]> {
  if (path === '-') return [{ folder: 'node', file: path }];
  try {
    const stats = await fs.stat(path);
    if (!stats.isDirectory()) return [{ folder: path, file: path }];
    const entries = await fs.readdir(path, { withFileTypes: true });
    const found: { folder: string; file: string }[] = [];
    for (const entry of entries.toSorted((a, b) => compareText(a.name, b.name))) {
      if (entry.name.startsWith('.')) continue;
      const full = join(path, entry.name);
      if (entry.isDirectory()) found.push(...(await filesBelow(full)));
      else if (entry.isFile()) found.push({ folder: path, file: full });
    }
    return found;
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Of a file that was named, or lies in a folder that was. */
export function unreadable(path: string, cause: unknown): GcError {
  const message = `nothing could be read from ${path}: ${reasonUnreadable(cause) ?? String(cause)}`;
  return new GcError(message, { code: 'unreadable-input', cause });
}

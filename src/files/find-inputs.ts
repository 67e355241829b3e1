import { type Dirent, promises as fs } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { GcError } from '../errors.ts';
import { compareText } from '../kube/names.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import { beginsAsInput, fileBytes, reasonUnreadable } from './input-bytes.ts';
import type { HowFound } from './object-reader.ts';

interface FoundInputs {
  readonly files: FoundFile[];
  readonly problems: CoverageProblem[];
}

type FoundFile = { readonly path: string } & Pick<
  HowFound,
  'ignoresOthers' | 'savedAs' | 'pathNames'
>;

const otherwisePacked = /\.(?:ya?ml|json|ndjson|jsonl)\.(?:bz2|br|xz|lz4|lzma|zip|7z)$/i;
const manifest = /\.(?:ya?ml|json|ndjson|jsonl)(?:\.(?:gz|zst))?$/i;
/** What programs save may have such a name, or one without an extension; a log is none of it. */
const mayBeSaved = /(?:^[^.]+|\.(?:txt|out|dump|gz|zst|tar|tgz|zip|7z|bz2|xz))$/i;
const logFile = /\.log\b/i;

/**
 * The inputs below a folder, in lexical order; hidden folders are passed by, links are followed. A
 * folder is read once, under the first path that leads to it: links that fan out would never end.
 */
export async function findInputs(folder: string): Promise<FoundInputs> {
  const found: FoundInputs = { files: [], problems: [] };
  await walk(folder, { isDump: false, isRoot: true }, new Set(), found);
  return found;
}

async function walk(
  folder: string,
  at: { readonly isDump: boolean; readonly isRoot: boolean },
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
  const isDump = at.isDump || isMustGather(entries.map(({ name }) => name));
  for (const entry of entries.sort((a, b) => compareText(a.name, b.name))) {
    const { name } = entry;
    const path = join(folder, name);
    const kind = await entryKind(entry, path);
    if (kind === 'folder') {
      if (!name.startsWith('.')) await walk(path, { isDump, isRoot: false }, read, found);
      continue;
    }
    const fault = unreadableReason(name, kind);
    if (fault !== undefined) {
      found.problems.push({ reason: 'unreadable', message: `${path} ${fault}`, path });
    }
    if (fault !== undefined || kind !== 'file') continue;
    const isManifest = manifest.test(name);
    if (!isManifest && !(await isSavedOutput(path, name))) continue;
    found.files.push({
      path,
      ignoresOthers: isDump || !isManifest,
      ...(isDump && { savedAs: folder }),
      pathNames: isDump ? namespaceFolder(path) : at.isRoot ? [] : [basename(folder), stem(name)],
    });
  }
}

/** The folder that is named after a namespace in a must-gather. */
function namespaceFolder(path: string): string[] {
  const parts = path.split(sep);
  const at = parts.lastIndexOf('namespaces');
  return at < 0 ? [] : parts.slice(at + 1, at + 2);
}

function stem(name: string): string {
  return name.replace(manifest, '');
}

/** Is a file that is not named as a manifest one by its content, or an archive, which may hold some? */
async function isSavedOutput(path: string, name: string): Promise<boolean> {
  return mayBeSaved.test(name) && !logFile.test(name) && (await beginsAsInput(fileBytes(path)));
}

/** Why something that looks like a manifest is not read; undefined for all else. */
function unreadableReason(name: string, kind: 'file' | 'folder' | 'broken-link' | 'other') {
  if (kind === 'file' && otherwisePacked.test(name)) {
    return 'is compressed, but neither with gzip nor with zstd: decompress it first';
  }
  if (!manifest.test(name)) return undefined;
  if (kind === 'broken-link') return 'is a broken link';
  return kind === 'other' ? 'is a pipe, socket or device, not a file' : undefined;
}

/**
 * `oc adm must-gather` and `oc adm inspect` keep objects in two folders, beside much else. One of these names alone
 * may be that of any folder.
 */
function isMustGather(names: readonly string[]): boolean {
  const has = (name: string) => names.includes(name);
  const folders = ['cluster-scoped-resources', 'namespaces'].filter(has).length;
  return folders > 1 || (folders > 0 && ['timestamp', 'event-filter.html'].some(has));
}

async function entryKind(
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
  return new GcError(message, {
    code: 'unreadable-input',
    suggestions: ['Check the name and the permissions of the file.'],
    cause,
  });
}

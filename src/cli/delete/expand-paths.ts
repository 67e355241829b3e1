import { promises as fs, globSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { Failure } from './failure.ts';

/** Where documents come from: a file, standard input, or a web address. */
export interface ManifestSource {
  readonly kind: 'file' | 'stdin' | 'url' | 'kustomization';
  /** As kubectl calls it in its messages. */
  readonly name: string;
}

export interface ExpandedPaths {
  readonly sources: readonly ManifestSource[];
  readonly faults: readonly Failure[];
}

const extensions = ['.json', '.yaml', '.yml'];

/**
 * The files that `-f` names, in kubectl's order: sources as they are given, the matches of a pattern
 * and the files of a folder by name, folders inside only when `recursive`.
 */
export async function expandPaths(
  filenames: readonly string[],
  recursive: boolean,
): Promise<ExpandedPaths> {
  const sources: ManifestSource[] = [];
  const faults: Failure[] = [];
  for (const filename of filenames.flatMap((value) => value.split(','))) {
    if (filename === '-') {
      if (sources.some(({ kind }) => kind === 'stdin')) {
        faults.push({ message: 'standard input cannot be used for multiple arguments' });
      }
      sources.push({ kind: 'stdin', name: 'STDIN' });
    } else if (/^https?:\/\//.test(filename)) sources.push({ kind: 'url', name: filename });
    else {
      const paths = await matchesOf(filename);
      if (paths.length === 0) faults.push({ message: `the path "${filename}" does not exist` });
      for (const path of paths) {
        try {
          sources.push(...(await filesBelow(path, recursive)));
        } catch (error) {
          faults.push({ message: `the path "${path}" cannot be accessed: ${reasonOf(error)}` });
        }
      }
      if (sources.length === 0 && faults.length === 0) {
        const known = `[${extensions.join(' ')}]`;
        faults.push({
          message: `error reading [${paths.join(' ')}]: recognized file extensions are ${known}`,
        });
      }
    }
  }
  return { sources, faults };
}

async function matchesOf(path: string): Promise<readonly string[]> {
  if (await statOf(path)) return [path];
  return globSync(path).sort();
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await fs.stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function filesBelow(path: string, recursive: boolean): Promise<ManifestSource[]> {
  const stats = await fs.stat(path);
  // Whoever names a file means it, whatever it is called.
  return stats.isDirectory() ? filesIn(path, recursive) : [{ kind: 'file', name: path }];
}

async function filesIn(folder: string, recursive: boolean): Promise<ManifestSource[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true });
  const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const files: ManifestSource[] = [];
  for (const entry of sorted) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (recursive) files.push(...(await filesIn(path, recursive)));
    } else if (extensions.some((extension) => path.endsWith(extension))) {
      files.push({ kind: 'file', name: path });
    }
  }
  return files;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

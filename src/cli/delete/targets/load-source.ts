import { promises as fs, globSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotText, readWhole } from '../../../files/file-bytes.ts';
import { writeErr } from '../../terminal/streams.ts';
import type { Failure } from './failure.ts';

const attempts = 3;

/** The bytes of a source; throws an Error whose message is for people. */
export async function loadSource(source: ManifestSource): Promise<Uint8Array> {
  switch (source.kind) {
    case 'stdin':
      return readStdin();
    case 'url':
      return download(source.name);
    case 'kustomization':
      return kustomize(source.name);
    default:
      return readWhole(source.name, process.stdin, writeErr).catch((error: unknown) => {
        throw error instanceof NotText ? new Error(`${source.name}: ${error.message}`) : error;
      });
  }
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Tried again after a failure of the server, as kubectl does. */
async function download(url: string): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === attempts;
    try {
      const response = await fetch(url);
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      const { status, statusText } = response;
      if (isLast || status < 500) {
        throw new Refused(
          `unable to read URL "${url}", server reported ${status} ${statusText}, status code=${status}`,
        );
      }
    } catch (error) {
      if (isLast || error instanceof Refused) throw error;
    }
    await sleep(1000);
  }
}

class Refused extends Error {}

/** There is no kustomize for Node: the one in kubectl builds the folder. */
async function kustomize(folder: string): Promise<Uint8Array> {
  const { execFile } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    execFile(
      'kubectl',
      ['kustomize', folder],
      { encoding: 'buffer', maxBuffer: 1 << 28 },
      (error, stdout, stderr) => {
        if (!error) resolve(stdout);
        else if (error.code === 'ENOENT') {
          reject(new Error('-k needs kubectl in PATH, which builds the kustomization'));
        } else
          reject(
            new Error(
              stderr
                .toString()
                .trim()
                .replace(/^error: /, '') || error.message,
            ),
          );
      },
    );
  });
}

/** Where documents come from: a file, standard input, or a web address. */
export interface ManifestSource {
  readonly kind: 'file' | 'stdin' | 'url' | 'kustomization';
  /** As kubectl calls it in its messages. */
  readonly name: string;
}

interface ExpandedPaths {
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

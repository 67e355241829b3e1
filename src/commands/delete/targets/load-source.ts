import type { ExecFileException } from 'node:child_process';
import { existsSync, promises as fs, globSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { errorMessage, GcError, usageError } from '../../../errors.ts';
import { readWhole, reasonUnreadable } from '../../../files/input-bytes.ts';

const attempts = 3;

/** Where documents come from. */
export interface ManifestSource {
  /** As kubectl calls it in its messages. */
  readonly name: string;
  /** Its bytes; throws an Error whose message is for people. */
  readonly load: () => Promise<Uint8Array>;
}

function fileSource(name: string): ManifestSource {
  const load = () =>
    readWhole(name).catch((error: unknown) => {
      const reason = reasonUnreadable(error);
      throw reason === undefined ? error : new Error(`${name}: ${reason}`);
    });
  return { name, load };
}

async function readStdin(): Promise<Uint8Array> {
  const { buffer } = await import('node:stream/consumers');
  return buffer(process.stdin);
}

/** Tried again after a failure of the server, as kubectl does. */
async function download(url: string): Promise<Uint8Array> {
  for (let left = attempts; ; left--) {
    const isLast = left === 1;
    const response = await fetch(url).catch((error: unknown) => {
      if (isLast) throw error;
    });
    if (response?.ok) return new Uint8Array(await response.arrayBuffer());
    const { status = 0, statusText } = response ?? {};
    if (response && (isLast || status < 500)) {
      throw new Error(
        `unable to read URL "${url}", server reported ${status} ${statusText}, status code=${status}`,
      );
    }
    await sleep(1000);
  }
}

/** There is no kustomize for Node: the one in kubectl builds the folder. */
export async function kustomize(folder: string): Promise<Uint8Array> {
  const { execFile } = await import('node:child_process');
  const options = { encoding: 'buffer', maxBuffer: 1 << 28 } as const;
  try {
    const { stdout } = await promisify(execFile)('kubectl', ['kustomize', folder], options);
    return stdout;
  } catch (error) {
    const { code, stderr = '', message } = error as ExecFileException;
    if (code === 'ENOENT')
      throw new Error('-k needs kubectl in PATH, which builds the kustomization');
    const said = stderr.toString().trim();
    throw new Error(said.replace(/^error: /, '') || message);
  }
}

const extensions = ['.json', '.yaml', '.yml'];

/**
 * The files that `-f` names, in kubectl's order: sources as they are given, the matches of a pattern
 * and the files of a folder by name, folders inside only when `recursive`. Throws where one leads nowhere.
 */
export async function expandPaths(
  filenames: readonly string[],
  recursive: boolean,
): Promise<readonly ManifestSource[]> {
  const sources: ManifestSource[] = [];
  const faults: string[] = [];
  for (const filename of filenames.flatMap((value) => value.split(','))) {
    if (filename === '-') {
      sources.push({ name: 'STDIN', load: readStdin });
    } else if (/^https?:\/\//.test(filename)) {
      sources.push({ name: filename, load: () => download(filename) });
    } else {
      const paths = existsSync(filename) ? [filename] : globSync(filename).sort();
      if (paths.length === 0) faults.push(`the path "${filename}" does not exist`);
      for (const path of paths) {
        try {
          // A file that the user names is read, whatever its name ends in.
          if (!(await fs.stat(path)).isDirectory()) sources.push(fileSource(path));
          else sources.push(...(await filesIn(path, recursive)));
        } catch (error) {
          const why = reasonUnreadable(error) ?? errorMessage(error);
          faults.push(`the path "${path}" cannot be accessed: ${why}`);
        }
      }
    }
  }
  const [fault, ...suggestions] = faults;
  if (fault !== undefined) throw new GcError(fault, { code: 'unreadable-input', suggestions });
  if (sources.length > 0) return sources;
  throw usageError(`there is no manifest in ${filenames.join(', ')}: no object is named`, [
    `In a folder, files are read that end in ${extensions.join(', ')}.`,
  ]);
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
      files.push(fileSource(path));
    }
  }
  return files;
}

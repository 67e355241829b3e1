import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { isGcError } from '../../src/errors.ts';
import { type FromFilesOptions, fromFiles } from '../../src/files/from-files.ts';
import { apiVersionOf } from '../../src/kube/resource-type.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';

/** A folder with these files, removed when the test is over. */
export function tempFolder(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const readAt = '2026-01-05T00:00:00.000Z';

/** What is shown by a single file of this name and content, or by a whole folder of them. */
export interface Shown {
  /** `shop.yaml:3 v1 Pod shop/web`, in the snapshot's order. */
  readonly objects: readonly string[];
  /** `reason path:line` of each problem, or the kind or object that it is about; and `reason message`. */
  readonly problems: readonly string[];
  readonly messages: readonly string[];
  readonly snapshot: Snapshot;
}

/** Reads paths inside of a folder; the folder's own path is cut from what comes back. */
export async function showFolder(
  files: Readonly<Record<string, string | Buffer>>,
  options: Partial<FromFilesOptions> & { readonly paths?: readonly string[] } = {},
): Promise<Shown> {
  const { paths = ['.'], ...rest } = options;
  const folder = tempFolder(files);
  const full = paths.map((path) => (path === '-' ? path : join(folder, path)));
  const snapshot = await fromFiles(full, { now: () => new Date(readAt), ...rest });
  const { problems } = snapshot.coverage;
  const strip = (text: string): string => text.replaceAll(`${folder}/`, '');
  return {
    objects: snapshot.records.map(({ type, namespace, name, place }) => {
      const where = place ? `${strip(place.path)}:${place.line}` : 'nowhere';
      return `${where} ${apiVersionOf(type)} ${type.kind} ${namespace ? `${namespace}/` : ''}${name}`;
    }),
    problems: problems.map(({ reason, path, line, resource, name }) => {
      const where = path === undefined ? [resource, name] : [strip(path), line];
      return `${reason} ${where.filter((part) => part !== undefined).join(':')}`.trim();
    }),
    messages: problems.map(({ reason, message }) => `${reason} ${strip(message)}`),
    snapshot,
  };
}

/** Reads one file; problems other than missing uids are expected to be none. */
export async function showFile(name: string, content: string | Buffer): Promise<Shown> {
  return showFolder({ [name]: content }, { paths: [name] });
}

/** Reads standard input. */
export async function showStdin(...chunks: readonly Buffer[]): Promise<Shown> {
  return showFolder({}, { paths: ['-'], stdin: Readable.from(chunks, { objectMode: true }) });
}

/** The error's exit code, message and code, without the folder's path. */
export async function refusal(shown: Promise<Shown>): Promise<string> {
  try {
    await shown;
  } catch (error) {
    if (!isGcError(error)) throw error;
    return `${error.exitCode} ${error.code}: ${error.message.replaceAll(/\/\S*kubectl-gc-files-[^/]*\//g, '')}`;
  }
  return 'none';
}

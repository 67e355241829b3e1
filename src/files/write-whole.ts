import { randomBytes } from 'node:crypto';
import { constants, rmSync } from 'node:fs';
import { access, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errorMessage, GcError } from '../errors.ts';

type FileContent = string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

interface WholeFile {
  /** What the file is, as in `the baseline`, for an error. */
  readonly what?: string;
  /** What to do when it cannot be written. */
  readonly suggestions?: readonly string[];
  /** Default: that of the file which is replaced, or what the umask leaves of a new one. */
  readonly mode?: number;
}

interface WriteOptions {
  /** Compresses the content. */
  readonly through?: NodeJS.ReadWriteStream | undefined;
  /** Ends the writing; the error is an AbortError then. */
  readonly signal?: AbortSignal | undefined;
}

/** Writes the content; may be called once. */
export type WriteWhole = (content: FileContent, options?: WriteOptions) => Promise<void>;

/**
 * The one way to a file that a later run relies on: it is replaced as a whole and after its bytes are on the
 * disk, so that a reader, a full disk, an interrupted or killed run never leaves half of it. A link is
 * followed; a target that is not a file, such as /dev/stdout, is written directly. Throws a GcError
 * `cannot-write` immediately if the path is not writable, before anything is read for it.
 */
export async function openWhole(path: string, file: WholeFile = {}): Promise<WriteWhole> {
  const place = await outputFileAt(path).catch((cause: unknown) => {
    throw cannotWrite(path, file, cause);
  });
  return async (content, options = {}) => {
    const parts = typeof content === 'string' ? [content] : content;
    try {
      if (place.draft === undefined) await writeParts(await openDevice(path), parts, options);
      else await replace(place.whole, place.draft, file.mode ?? place.mode, parts, options);
    } catch (cause) {
      if (options.signal?.aborted) throw cause;
      throw cannotWrite(path, file, cause);
    }
  };
}

/** The same for what is at hand already. */
export async function writeWhole(path: string, text: string, file: WholeFile): Promise<void> {
  const write = await openWhole(path, file);
  await write(text);
}

async function replace(
  whole: string,
  draft: string,
  mode: number,
  parts: Exclude<FileContent, string>,
  options: WriteOptions,
): Promise<void> {
  await removeOldDrafts(dirname(whole));
  // Never through a link or into a file that lies where the draft goes.
  const file = await open(draft, 'wx', mode);
  const remove = () => rmSync(draft, { force: true });
  // A second Ctrl-C ends the process immediately.
  process.once('exit', remove);
  try {
    await writeParts(file.createWriteStream({ flush: true }), parts, options);
    await rename(draft, whole);
    await flushFolder(dirname(whole));
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  } finally {
    process.off('exit', remove);
  }
}

async function writeParts(
  sink: NodeJS.WritableStream,
  parts: Exclude<FileContent, string>,
  { through, signal }: WriteOptions,
): Promise<void> {
  const options = signal ? { signal } : {};
  await (through ? pipeline(parts, through, sink, options) : pipeline(parts, sink, options));
}

/**
 * A pipe or device. A pipe that nothing reads is refused: it would be waited for in a thread that no signal ends.
 */
async function openDevice(path: string): Promise<NodeJS.WritableStream> {
  const tried = await open(path, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return (await open(path, 'w')).createWriteStream();
  } finally {
    await tried.close();
  }
}

/** The name in the folder is on the disk, too; systems that cannot do that do it by themselves. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

/** `mode`: of the file that is replaced. Without `draft`, it is no file that could be. */
interface OutputFile {
  readonly whole: string;
  readonly draft: string | undefined;
  readonly mode: number;
}

async function outputFileAt(path: string): Promise<OutputFile> {
  const folder = await realpath(dirname(path));
  if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`);
  await access(folder, constants.W_OK);
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory()) throw new Error('it is a folder');
  if (stats && !stats.isFile()) return { whole: path, draft: undefined, mode: 0 };
  const whole = stats ? await realpath(path) : join(folder, basename(path));
  const draft = join(dirname(whole), `.kubectl-gc-${randomBytes(8).toString('hex')}.partial`);
  return { whole, draft, mode: (stats?.mode ?? 0o666) & 0o777 };
}

const draftName = /^\.kubectl-gc-[0-9a-f]{16}\.partial$/;
/** A draft that has not been written to for so long is of a run that was killed. */
const oldAfterMs = 60 * 60_000;

/** What a killed run left, such as by kill -9. A draft that cannot be removed does not matter. */
async function removeOldDrafts(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => draftName.test(one))) {
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isFile() || Date.now() - stats.mtimeMs < oldAfterMs) continue;
    await rm(path, { force: true }).catch(() => undefined);
  }
}

function cannotWrite(path: string, { what, suggestions = [] }: WholeFile, cause: unknown): GcError {
  const subject = what === undefined ? path : `${what} ${path}`;
  return new GcError(`cannot write ${subject}: ${reasonUnwritable(cause)}`, {
    code: 'cannot-write',
    cause,
    suggestions,
  });
}

/** Makes a folder for files of ours, where it is not there; throws GcError `cannot-write`. */
export async function makeFolder(folder: string, suggestions: readonly string[]): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (cause) {
    throw new GcError(`cannot make the folder ${folder}: ${reasonUnwritable(cause)}`, {
      code: 'cannot-write',
      cause,
      suggestions,
    });
  }
}

/** Why something cannot be written, in words. */
export function reasonUnwritable(error: unknown): string {
  return writeErrors[(error as NodeJS.ErrnoException).code ?? ''] ?? errorMessage(error);
}

const writeErrors: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'a file of that name already exists',
  ENOENT: 'there is no such folder',
  ENXIO: 'nothing reads it',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'a part of its path is not a folder',
  EROFS: 'the file system is read-only',
};

import { promises as fs } from 'node:fs';
import type { Readable } from 'node:stream';
import { GcError } from '../errors.ts';
import { fileBytes, reasonUnreadable, streamBytes, together } from './file-bytes.ts';
import { findInputs } from './find-inputs.ts';
import { CutOff, inUtf8, unpacked } from './input-bytes.ts';

export interface FileText {
  /** How messages name it. */
  readonly path: string;
  readonly text: string;
}

/** The texts of manifests, unpacked and in UTF-8: files, folders in lexical order, `-` for standard input. */
export async function readTexts(paths: readonly string[], stdin: Readable): Promise<FileText[]> {
  const texts: FileText[] = [];
  for (const path of paths) {
    for (const file of await filesOf(path)) {
      const bytes = file === '-' ? streamBytes(stdin) : fileBytes(file);
      texts.push({ path: file === '-' ? '<stdin>' : file, text: await textOf(bytes, file) });
    }
  }
  return texts;
}

async function filesOf(path: string): Promise<string[]> {
  if (path === '-') return [path];
  try {
    if (!(await fs.stat(path)).isDirectory()) return [path];
  } catch (error) {
    throw unreadable(path, error);
  }
  const { files, problems } = await findInputs(path);
  const [first] = problems;
  if (first) throw new GcError(first.message, { code: 'unreadable-input' });
  return files.map((file) => file.path);
}

async function textOf(bytes: AsyncIterable<Buffer>, path: string): Promise<string> {
  try {
    return (await together(inUtf8(unpacked(bytes)))).toString();
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, cause: unknown): GcError {
  const why =
    cause instanceof CutOff ? 'it is cut off' : (reasonUnreadable(cause) ?? String(cause));
  return new GcError(`cannot read ${path}: ${why}`, { code: 'unreadable-input', cause });
}

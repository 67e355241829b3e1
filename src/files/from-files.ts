import { type Stats, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { GcError, usageError } from '../errors.ts';
import { builtInTypes } from '../kube/built-in-types.ts';
import type { Json } from '../kube/json-value.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { findInputs } from './find-inputs.ts';
import { reasonUnreadable } from './input-bytes.ts';
import { InputContents } from './input-contents.ts';
import { type InputSource, readContents } from './read-input.ts';
import { madeFrom, type Rendered, type SetAside } from './repository.ts';
import { type SnapshotOptions, snapshotOfContents } from './snapshot-of-contents.ts';

export interface FromFilesOptions extends SnapshotOptions {
  /** What `-` reads. */
  readonly stdin?: Readable;
  /** The kinds served when no saved snapshot says; default: those of Kubernetes v1.36. */
  readonly builtInTypes?: readonly ResourceType[];
  /** Called with every object in full, with its record; not of those in saved snapshots. */
  readonly onObject?: (object: Json, record: ObjectRecord) => void;
  /** Makes manifests of a chart or a kustomization; without it they are only named. */
  readonly render?: ((source: SetAside) => Promise<Rendered>) | undefined;
  /** A folder without any manifest is a set of none; by default it is taken for a mistake. */
  readonly mayBeEmpty?: boolean;
}

/**
 * The snapshot of all objects in files, folders and `-` (standard input). A part that cannot be read
 * becomes a coverage problem; throws a GcError when a named path contains no usable object.
 */
export async function fromFiles(
  paths: readonly string[],
  options: FromFilesOptions,
): Promise<Snapshot> {
  if (paths.length === 0) {
    throw usageError('no file or folder to read was named', ['Name one, or - for stdin.']);
  }
  if (paths.filter((path) => path === '-').length > 1) {
    throw usageError('standard input ("-") can be read only once', [
      'Name - once, and files for the rest.',
    ]);
  }
  const contents = new InputContents(options.builtInTypes ?? builtInTypes, options.onObject);
  for (const path of paths) {
    if (path === '-') {
      const source = { path: '<stdin>', stream: options.stdin ?? process.stdin };
      await readNamed(source, 'standard input', contents);
    } else await readPath(path, contents, options);
  }
  return snapshotOfContents(contents, paths, options);
}

async function readPath(
  path: string,
  contents: InputContents,
  options: FromFilesOptions,
): Promise<void> {
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (error) {
    throw unreadableInput(path, reasonUnreadable(error) ?? String(error), error);
  }
  if (stats.isDirectory()) await readFolder(path, contents, options);
  else await readNamed({ path }, path, contents);
}

async function readNamed(
  source: InputSource,
  name: string,
  contents: InputContents,
): Promise<void> {
  const { used, firstProblem } = await readContents(source, contents);
  if (!used) throw unreadableInput(name, firstProblem ?? 'it is empty');
}

async function readFolder(
  folder: string,
  contents: InputContents,
  { render, mayBeEmpty = false }: FromFilesOptions,
): Promise<void> {
  const { files, problems } = await findInputs(folder);
  contents.problems.push(...problems);
  if (problems.length > 0) contents.lost.addAnything();
  let used = false;
  let firstProblem = problems[0]?.message;
  const aside = await madeFrom(files.map(({ path }) => path));
  const made = new Map([...aside.values()].map((one) => [`${one.what} ${one.path}`, one]));
  for (const one of made.values()) {
    const rendered = await render?.(one);
    if (rendered && 'text' in rendered) {
      const stream = Readable.from([Buffer.from(rendered.text)]);
      used =
        (await readContents({ path: one.file, stream, isRendered: true }, contents)).used || used;
      continue;
    }
    contents.aside.push(one);
    // What it makes may be of any kind.
    contents.lost.addAnything();
    if (!rendered) continue;
    const message = `${one.path}: ${rendered.failure}`;
    contents.problems.push({ reason: 'unreadable', message, path: one.path });
  }
  for (const file of files) {
    if (aside.has(file.path)) continue;
    const result = await readContents({ ...file, inFolder: true }, contents);
    used ||= result.used;
    firstProblem ??= result.firstProblem && `${file.path}: ${result.firstProblem}`;
  }
  if (used || aside.size > 0 || (mayBeEmpty && firstProblem === undefined)) return;
  const why =
    firstProblem ?? 'it contains no .yaml, .yml, .json, .ndjson or .jsonl file with objects';
  throw unreadableInput(folder, why);
}

function unreadableInput(name: string, why: string, cause?: unknown): GcError {
  return new GcError(`nothing could be read from ${name}: ${why}`, {
    code: 'unreadable-input',
    suggestions: [
      'Name a file or folder of Kubernetes objects, as get -o yaml and cluster-info dump of kubectl and snapshot save write it.',
    ],
    cause,
  });
}

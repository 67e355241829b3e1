import { promises as fs, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { GcError, usageError } from '../errors.ts';
import { builtInTypes } from '../kube/built-in-types.ts';
import type { Json } from '../kube/json-value.ts';
import type { ObjectRecord, Place } from '../kube/object-record.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { filesCoverage } from './files-coverage.ts';
import { findInputs } from './find-inputs.ts';
import { type InputContents, newInputContents } from './input-contents.ts';
import { type InputSource, readContents } from './read-input.ts';
import { mergeSameObjects } from './same-object.ts';
import { reasonUnreadable } from './unreadable-input.ts';

export interface FromFilesOptions {
  /** Used when no saved snapshot says when the picture was taken. */
  readonly now: () => Date;
  /** What `-` reads. */
  readonly stdin?: Readable;
  /** The input is the whole cluster: a kind without objects in it has none. */
  readonly complete?: boolean;
  /** The kinds served when no saved snapshot says; default: those of Kubernetes v1.36. */
  readonly builtInTypes?: readonly ResourceType[];
  /** Hears of every object in full, with its record; not of those in saved snapshots. */
  readonly onObject?: (object: Json, record: ObjectRecord) => void;
  /** Hears of every KubeletConfiguration, which has no name and is no object; else it is a problem. */
  readonly onKubeletConfiguration?: (configuration: Json, place: Place) => void;
}

/**
 * The picture that files, folders and `-` (standard input) show together. What cannot be read
 * becomes a coverage problem; throws GcError when a named path holds nothing of use.
 */
export async function fromFiles(
  paths: readonly string[],
  options: FromFilesOptions,
): Promise<Snapshot> {
  if (paths.length === 0) throw usageError('no-input', 'no file, folder or "-" to read was named');
  if (paths.filter((path) => path === '-').length > 1) {
    throw usageError('stdin-twice', 'standard input ("-") can be read only once');
  }
  const gathering = newInputContents(options.builtInTypes ?? builtInTypes, options);
  for (const path of paths) {
    if (path === '-') await readStdin(options.stdin ?? process.stdin, gathering);
    else await readPath(path, gathering);
  }
  return snapshotOf(gathering, paths, options);
}

function snapshotOf(
  gathering: InputContents,
  paths: readonly string[],
  { now, complete = false }: FromFilesOptions,
): Snapshot {
  const kinds = gathering.kinds.resolve();
  applyTypes(gathering.records, kinds.finalType);
  const { records, problems } = mergeSameObjects(gathering.records, kinds.types.all);
  const coverage = filesCoverage(gathering, kinds, complete);
  const newest = gathering.snapshots.toSorted(
    (a, b) => Date.parse(b.observedAt) - Date.parse(a.observedAt),
  )[0];
  return {
    records,
    types: kinds.types,
    coverage: { ...coverage, problems: [...coverage.problems, ...problems] },
    observedAt: newest?.observedAt ?? now().toISOString(),
    serverVersion: newest?.serverVersion,
    origin: { kind: 'files', paths },
  };
}

async function readStdin(stream: Readable, gathering: InputContents): Promise<void> {
  const path = '<stdin>';
  await readNamed({ path, stream, ignoresOthers: false }, 'standard input', gathering);
}

async function readPath(path: string, gathering: InputContents): Promise<void> {
  let stats: Stats;
  try {
    stats = await fs.stat(path);
  } catch (error) {
    throw unreadable(path, reasonUnreadable(error) ?? String(error), error);
  }
  if (stats.isDirectory()) await readFolder(path, gathering);
  else await readNamed({ path, ignoresOthers: false }, path, gathering);
}

async function readNamed(
  source: InputSource,
  name: string,
  gathering: InputContents,
): Promise<void> {
  const { used, firstProblem } = await readContents(source, gathering);
  if (!used) throw unreadable(name, firstProblem ?? 'it is empty');
}

async function readFolder(folder: string, gathering: InputContents): Promise<void> {
  const { files, problems } = await findInputs(folder);
  gathering.problems.push(...problems);
  let used = false;
  let firstProblem = problems[0]?.message;
  for (const file of files) {
    const result = await readContents(file, gathering);
    used ||= result.used;
    firstProblem ??= result.firstProblem && `${file.path}: ${result.firstProblem}`;
  }
  if (used) return;
  const why = firstProblem ?? 'it holds no .yaml, .yml, .json, .ndjson or .jsonl file with objects';
  throw unreadable(folder, why);
}

function unreadable(name: string, why: string, cause?: unknown): GcError {
  return new GcError(`nothing could be read from ${name}: ${why}`, {
    code: 'unreadable-input',
    suggestions: [
      'Name a file or folder of Kubernetes objects as "kubectl get -o yaml", "kubectl cluster-info dump" or "kubectl gc snapshot save" write it.',
    ],
    cause,
  });
}

/** Gives records their final type in place: they are not shared with anybody before that. */
function applyTypes(
  records: readonly ObjectRecord[],
  finalType: (type: ResourceType) => ResourceType,
): void {
  for (const record of records) {
    const type = finalType(record.type);
    if (type === record.type) continue;
    const own: { -readonly [Field in keyof ObjectRecord]: ObjectRecord[Field] } = record;
    own.type = type;
    if (!type.namespaced) own.namespace = '';
  }
}

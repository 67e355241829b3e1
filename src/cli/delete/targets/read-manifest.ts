import type { Failure } from './failure.ts';

/** What a deletion needs to know of an object in a manifest, and nothing more of it. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** It stood in a List, which kubectl words differently. */
  readonly inList: boolean;
}

export interface ManifestObjects {
  /** In the order of the documents, lists spread out. */
  readonly objects: readonly ManifestObject[];
  readonly failures: readonly Failure[];
}

/** Reads the objects of one source. What comes behind a document that is no YAML is not read. */
export async function readManifest(bytes: Uint8Array, source: string): Promise<ManifestObjects> {
  const text = decoded(bytes);
  const objects: ManifestObject[] = [];
  const failures: Failure[] = [];
  try {
    for (const value of await valuesOf(text)) take(value, source, objects, failures);
  } catch (error) {
    const { ParseFailure } = await import('../../../files/parsing/parse-json.ts');
    if (!(error instanceof Located) || !(error.cause instanceof ParseFailure)) throw error;
    objects.length = 0;
    for (const value of error.before) take(value, source, objects, failures);
    const line = error.line + error.cause.lines;
    failures.push({ message: `error parsing ${source}: line ${line}: ${error.cause.message}` });
  }
  return { objects, failures };
}

/** Where in the source a document is that could not be parsed, and what was in front of it. */
class Located extends Error {
  readonly line: number;
  readonly before: readonly unknown[];

  constructor(line: number, before: readonly unknown[], cause: unknown) {
    super('a document that cannot be parsed', { cause });
    this.line = line;
    this.before = before;
  }
}

async function valuesOf(text: string): Promise<unknown[]> {
  const values: unknown[] = [];
  const isJson = /^\s*\{/.test(text);
  const { jsonValues, parseJson } = await import('../../../files/parsing/parse-json.ts');
  const parse = isJson
    ? parseJson
    : await (await import('../../../files/parsing/parse-yaml.ts')).loadYaml();
  let line = 1;
  for (const part of isJson ? jsonValues(text) : text.split(separator)) {
    try {
      values.push(parse(part));
    } catch (cause) {
      throw new Located(line, values, cause);
    }
    line += isJson ? linesIn(part) - 1 : linesIn(part);
  }
  return values;
}

/** A line that begins a document, as kubectl has it: what stands behind the first `---` is dropped. */
const separator = /^---(?:[ \t].*)?\r?\n|\n---[ \t]*(?:#.*)?(?:\r?\n|$)/;

function linesIn(text: string): number {
  return text.split('\n').length;
}

/** kubectl reads UTF-16 too, where a byte order mark says so. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
}

function take(
  value: unknown,
  source: string,
  objects: ManifestObject[],
  failures: Failure[],
  inList = false,
): void {
  if (value === null || value === undefined) return;
  const { apiVersion, kind, metadata, items } = Object(value) as Record<string, unknown>;
  if (typeof kind !== 'string' || kind === '') {
    // Not quoted as kubectl does: it may be a Secret.
    failures.push({ message: `unable to decode "${source}": Object 'Kind' is missing` });
    return;
  }
  if (Array.isArray(items)) {
    for (const item of items) take(item, source, objects, failures, true);
    return;
  }
  const { name, namespace, labels } = Object(metadata) as Record<string, unknown>;
  objects.push({
    apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
    kind,
    name: typeof name === 'string' ? name : '',
    namespace: typeof namespace === 'string' ? namespace : '',
    labels: Object(labels) as Record<string, string>,
    inList,
  });
}

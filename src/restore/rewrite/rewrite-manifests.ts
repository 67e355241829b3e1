import { jsonValues } from '../../files/parsing/parse-json.ts';
import { type DocumentText, splitYaml, withLines } from '../../files/parsing/parse-yaml.ts';
import { type Json, jsonOf, textOf } from '../../kube/json-value.ts';
import type { Path } from './edit-text.ts';
import { linesAbove, type ReadYaml, readYaml, rewriteYaml } from './rewrite-yaml.ts';

/** One object of a manifest, and where it stands. */
export interface PlacedObject {
  readonly object: Json;
  readonly path: string;
  readonly line: number;
}

/** A file of manifests, document by document. */
export interface ManifestFile {
  readonly path: string;
  readonly documents: readonly ReadDocument[];
}

interface ReadDocument {
  readonly yaml: ReadYaml;
  readonly line: number;
}

/** Reads a file; `bad` is the line of the first document that is neither YAML nor JSON. */
export function readManifestFile(
  path: string,
  text: string,
): ManifestFile | { readonly bad: number } {
  const documents: ReadDocument[] = [];
  for (const { text: part, line } of splitDocuments(text)) {
    const yaml = readYaml(part);
    if (!yaml) return { bad: line };
    documents.push({ yaml, line });
  }
  return { path, documents };
}

/** Every object in the order in which they are written. */
export function objectsIn({ path, documents }: ManifestFile): PlacedObject[] {
  const found: PlacedObject[] = [];
  for (const { yaml, line } of documents) {
    eachObject(yaml.value, (object, at) => {
      found.push({ object, path, line: line + linesAbove(yaml, at) });
      return object;
    });
  }
  return found;
}

/** Changes one object; `index` counts the objects of the file in the order of `objectsIn`. */
export type ManifestFix = (object: Json, index: number) => Json;

/** The file with every object changed, a step after the other; all that is not concerned stays as it was written. */
export function fixedText({ documents }: ManifestFile, steps: readonly ManifestFix[]): string {
  let first = 0;
  return documents
    .map(({ yaml }) => {
      const { text, objects } = fixed(yaml, steps, first);
      first += objects;
      return text;
    })
    .join('');
}

function fixed(yaml: ReadYaml, steps: readonly ManifestFix[], first: number) {
  let read = yaml;
  let objects = 0;
  for (const step of steps) {
    let index = first;
    const changed = eachObject(read.value, (object) => step(object, index++));
    objects = index - first;
    const text = rewriteYaml(read, changed);
    read = text === read.text ? read : (readYaml(text) ?? read);
  }
  return { text: read.text, objects };
}

/**
 * A document with each of its objects changed: itself, or the items of a List, of Lists in it too.
 * What stays as it was is the same value.
 */
function eachObject(
  value: unknown,
  change: (object: Readonly<Record<string, unknown>>, path: Path) => unknown,
  path: Path = [],
): unknown {
  if (Array.isArray(value)) {
    const entries = value.map((entry, index) => eachObject(entry, change, [...path, index]));
    return entries.every((entry, index) => entry === value[index]) ? value : entries;
  }
  const object = jsonOf(value);
  if (!object) return value;
  if (textOf(object.kind)?.endsWith('List') && Array.isArray(object.items)) {
    const items = eachObject(object.items, change, [...path, 'items']);
    return items === object.items ? value : { ...object, items };
  }
  return change(object, path);
}

/** Cuts a file into documents; put together again they are the file. JSON values may follow each other. */
function splitDocuments(file: string): DocumentText[] {
  const values = /^\s*[{[]/.test(file) ? jsonValues(file) : [];
  if (values.length === 0 || !values.every(isJson)) return splitYaml(file);
  const last = values.pop() ?? '';
  return withLines([...values, last + file.slice(values.join('').length + last.length)]);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

import { type Document, parseDocument, type ToStringOptions } from 'yaml';
import { jsonValues } from '../../files/parsing/parse-json.ts';
import { type DocumentText, splitYaml, withLines } from '../../files/parsing/parse-yaml.ts';
import { type Json, jsonOf, textOf } from '../../kube/json-value.ts';
import { manifestYaml } from '../backup/object-file.ts';
import { editText, type Path, type ValueEdit, valueEdits } from './edit-text.ts';

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

/** A document with each of its objects changed: itself, or the items of a List, of Lists in it too. */
function eachObject(
  value: unknown,
  change: (object: Readonly<Record<string, unknown>>, path: Path) => unknown,
  path: Path = [],
): unknown {
  if (Array.isArray(value)) {
    return value.map((entry, index) => eachObject(entry, change, [...path, index]));
  }
  const object = jsonOf(value);
  if (!object) return value;
  if (textOf(object.kind)?.endsWith('List') && Array.isArray(object.items)) {
    return { ...object, items: eachObject(object.items, change, [...path, 'items']) };
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

/** As Kubernetes reads it, as far as metadata goes; a key that is there twice is its own business. */
const reading = {
  prettyErrors: false,
  uniqueKeys: false,
  logLevel: 'error',
} as const;
const writing: ToStringOptions = { lineWidth: 0, flowCollectionPadding: false };

/** One document, as text and as value. */
interface ReadYaml {
  readonly text: string;
  readonly value: unknown;
  readonly document: Document;
}

/** Parses one document of YAML, or JSON; undefined when it is neither. */
function readYaml(text: string): ReadYaml | undefined {
  try {
    const document = parseDocument(text, reading);
    if (document.errors.length > 0) return undefined;
    return { text, value: document.toJS(), document };
  } catch {
    // Aliases that lead nowhere, or to too much.
    return undefined;
  }
}

/**
 * The text for a changed value: in place where that is possible, else rewritten, with its comments.
 */
function rewriteYaml({ text, value, document }: ReadYaml, changed: unknown): string {
  const edits = valueEdits(value, changed);
  if (edits?.length === 0) return text;
  const wanted = JSON.stringify(changed);
  const says = (candidate: string) => JSON.stringify(readYaml(candidate)?.value) === wanted;
  const inPlace = edits && editText(text, document, edits);
  if (inPlace !== undefined && says(inPlace)) return inPlace;
  const rewritten = edits && rewrite(document, edits);
  if (rewritten !== undefined && says(rewritten)) return rewritten;
  return (
    (/^---/.test(text) ? '---\n' : '') + manifestYaml(changed as Parameters<typeof manifestYaml>[0])
  );
}

function rewrite(document: Document, edits: readonly ValueEdit[]): string | undefined {
  const copy = document.clone();
  try {
    // The last entries first, so that the others keep their places.
    for (const { path, to } of edits.toReversed()) {
      if (to === undefined) copy.deleteIn(path);
      else copy.setIn(path, to);
    }
    return copy.toString(writing);
  } catch {
    // What is gone had the anchor of something that is left.
    return undefined;
  }
}

/** How many lines of the document are in front of what stands at a path. */
function linesAbove({ text, document }: ReadYaml, path: Path): number {
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  const start = (node as { readonly range?: readonly number[] | null } | null)?.range?.[0] ?? 0;
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < start; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

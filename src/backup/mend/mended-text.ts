import type { Json } from '../../snapshot/json-value.ts';
import { eachObject } from './each-object.ts';
import { linesAbove, type ReadYaml, readYaml, rewriteYaml } from './rewrite-yaml.ts';
import { splitDocuments } from './split-documents.ts';

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
export type MendStep = (object: Json, index: number) => Json;

/** The file with every object changed, a step after the other; all that is not concerned stays as it was written. */
export function mendedText({ documents }: ManifestFile, steps: readonly MendStep[]): string {
  let first = 0;
  return documents
    .map(({ yaml }) => {
      const { text, objects } = mended(yaml, steps, first);
      first += objects;
      return text;
    })
    .join('');
}

function mended(yaml: ReadYaml, steps: readonly MendStep[], first: number) {
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

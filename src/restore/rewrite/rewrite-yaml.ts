import { type Document, parseDocument, type ToStringOptions } from 'yaml';
import { manifestYaml } from '../backup/object-file.ts';
import { editText, type Path, type ValueEdit, valueEdits } from './edit-text.ts';

/** As Kubernetes reads it, as far as metadata goes; a key that is there twice is its own business. */
const reading = {
  prettyErrors: false,
  uniqueKeys: false,
  logLevel: 'error',
} as const;
const writing: ToStringOptions = { lineWidth: 0, flowCollectionPadding: false };

/** One document, as text and as value. */
export interface ReadYaml {
  readonly text: string;
  readonly value: unknown;
  readonly document: Document;
}

/** Parses one document of YAML, or JSON; undefined when it is neither. */
export function readYaml(text: string): ReadYaml | undefined {
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
export function rewriteYaml({ text, value, document }: ReadYaml, changed: unknown): string {
  const edits = valueEdits(value, changed);
  if (edits?.length === 0) return text;
  const wanted = JSON.stringify(changed);
  const says = (candidate: string | undefined) =>
    candidate !== undefined && JSON.stringify(readYaml(candidate)?.value) === wanted;
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
export function linesAbove({ text, document }: ReadYaml, path: Path): number {
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  const start = (node as { readonly range?: readonly number[] | null } | null)?.range?.[0] ?? 0;
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < start; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

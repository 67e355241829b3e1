import { parseAllDocuments } from 'yaml';
import { fieldsListOf, fieldsOf, type Json } from '../../kube/json-value.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { CutOff, fileBytes, streamBytes, unpacked } from '../input-bytes.ts';
import type { NodeParts } from './node-facts.ts';
import { type DocumentKind, kindOfDocument, readDocument } from './read-document.ts';
import { readTextOutput } from './read-text-output.ts';

/** What one saved file holds. */
export interface SavedFile {
  readonly path: string;
  /** Documents that tell of one node, which they do not name. */
  readonly kinds: ReadonlySet<DocumentKind>;
  readonly pieces: NodeParts;
  /** Nodes and Pods. */
  readonly objects: readonly Json[];
  /** Nothing of use was found. */
  readonly empty: boolean;
  /** A sign-in page, say, that was saved in place of an answer. */
  readonly isHtml: boolean;
}

/** Reads one file of saved output, packed with gzip or zstd or not; `-` is standard input. */
export async function readSavedFile(
  path: string,
  stdin: NodeJS.ReadableStream | undefined,
): Promise<SavedFile> {
  const pieces: NodeParts = { problems: [] };
  const kinds = new Set<DocumentKind>();
  const objects: Json[] = [];
  const text = await textOfFile(path, stdin, pieces);
  const split = /\.ya?ml(\.\w+)?$/i.test(path) ? readYaml(text, path, pieces) : splitOutput(text);
  const { documents, broken } = split;
  const all = [...documents, ...yamlIn(split.text, path, pieces)];
  for (const { line, why } of broken) {
    const message = `${path}, line ${line}: ${why}`;
    pieces.problems.push({ reason: 'truncated', message, path, line });
  }
  for (const document of all) {
    const fields = fieldsOf(document);
    const kind = kindOfDocument(fields);
    if (kind === 'list') objects.push(...itemsOf(fields));
    else if (kind === 'node' || kind === 'pod') objects.push(fields);
    else if (kind !== undefined) {
      if (kinds.has(kind)) pieces.problems.push(repeated(path, kind));
      readDocument(fields, kind, pieces);
      kinds.add(kind);
    }
  }
  const told = readTextOutput(split.text, pieces);
  const empty = !told && kinds.size === 0 && objects.length === 0;
  return { path, kinds, pieces, objects, empty, isHtml: /^\s*<(!doctype|html)/i.test(text) };
}

function repeated(path: string, kind: DocumentKind): CoverageProblem {
  const message = `${path} tells the ${kind} of a node more than once: what stands last counts`;
  return { reason: 'unreadable', message, path };
}

/** The items of a list do not name their kind where the list does. */
function itemsOf(list: Json): Json[] {
  const kind = String(list.kind ?? '').replace(/List$/, '');
  return fieldsListOf(list.items)
    .map((item) => (item.kind === undefined ? { ...item, kind } : item))
    .filter((item) => item.kind === 'Node' || item.kind === 'Pod');
}

async function textOfFile(
  path: string,
  stdin: NodeJS.ReadableStream | undefined,
  pieces: NodeParts,
): Promise<string> {
  const chunks: Buffer[] = [];
  const packed =
    path === '-' && stdin ? streamBytes(stdin as import('node:stream').Readable) : fileBytes(path);
  try {
    for await (const chunk of unpacked(packed)) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof CutOff)) throw error;
    const message = `${path}: the packed data ends too soon`;
    pieces.problems.push({ reason: 'truncated', message, path });
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

function readYaml(text: string, path: string, pieces: NodeParts) {
  return { documents: parseYaml(text, path, pieces), broken: [], text: '' };
}

/** A KubeletConfiguration file that was printed between other output. */
function yamlIn(text: string, path: string, pieces: NodeParts): readonly unknown[] {
  const start = text.search(/^(apiVersion: kubelet\.config|kind: KubeletConfiguration)/m);
  return start < 0 ? [] : parseYaml(text.slice(start), path, pieces);
}

function parseYaml(text: string, path: string, pieces: NodeParts): unknown[] {
  const documents: unknown[] = [];
  for (const document of parseAllDocuments(text)) {
    const [fault] = document.errors;
    if (fault === undefined) documents.push(document.toJS());
    else {
      const line = fault.linePos?.[0].line ?? 1;
      const message = `${path}, line ${line}: what begins there is no YAML`;
      pieces.problems.push({ reason: 'unreadable', message, path, line });
    }
  }
  return documents;
}

/** What was found in saved output: JSON documents one after another, and the lines between them. */
interface SplitOutput {
  readonly documents: readonly unknown[];
  readonly text: string;
  /** 1-based lines where a JSON document begins that is not one, or ends too soon. */
  readonly broken: readonly { readonly line: number; readonly why: string }[];
}

/** Takes saved output apart: a document begins at a `{` or `[` that starts a line. */
function splitOutput(text: string): SplitOutput {
  const documents: unknown[] = [];
  const broken: { line: number; why: string }[] = [];
  const between: string[] = [];
  let at = 0;
  while (at < text.length) {
    const start = text.charAt(at);
    if (start !== '{' && start !== '[') {
      const end = lineEnd(text, at);
      between.push(text.slice(at, end));
      at = end + 1;
      continue;
    }
    const end = documentEnd(text, at);
    const line = lineOf(text, at);
    if (end === undefined) {
      broken.push({ line, why: 'it ends in the middle of a JSON document' });
      break;
    }
    try {
      documents.push(JSON.parse(text.slice(at, end)));
    } catch {
      broken.push({ line, why: 'what begins there is no JSON' });
    }
    at = end;
    while (/\s/.test(text.charAt(at))) at += 1;
  }
  return { documents, text: between.join('\n'), broken };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) {
    line += 1;
  }
  return line;
}

const structure = /["{}[\]]/g;
const stringEnd = /[\\"]/g;

/** Behind the bracket that closes the one at `start`; undefined when the text ends before. */
function documentEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let at = start;
  for (;;) {
    structure.lastIndex = at;
    const mark = structure.exec(text);
    if (!mark) return undefined;
    at = mark.index + 1;
    if (mark[0] === '{' || mark[0] === '[') depth += 1;
    else if (mark[0] !== '"') depth -= 1;
    else {
      const end = stringEndsAt(text, at);
      if (end === undefined) return undefined;
      at = end;
    }
    if (depth === 0) return at;
  }
}

function stringEndsAt(text: string, start: number): number | undefined {
  let at = start;
  for (;;) {
    stringEnd.lastIndex = at;
    const mark = stringEnd.exec(text);
    if (!mark) return undefined;
    if (mark[0] === '"') return mark.index + 1;
    at = mark.index + 2;
  }
}

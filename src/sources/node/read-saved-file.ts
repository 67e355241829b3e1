import { parseAllDocuments } from 'yaml';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { fileBytes, streamBytes } from '../files/file-bytes.ts';
import { CutOff, unpacked } from '../files/unpack.ts';
import { type Fields, fieldsOf, listOf } from './json-fields.ts';
import type { NodePieces } from './node-pieces.ts';
import { type DocumentKind, kindOfDocument, readDocument } from './read-document.ts';
import { readText } from './read-text.ts';
import { splitOutput } from './split-output.ts';

/** What one saved file holds. */
export interface SavedFile {
  readonly path: string;
  /** Documents that tell of one node, which they do not name. */
  readonly kinds: ReadonlySet<DocumentKind>;
  readonly pieces: NodePieces;
  /** Nodes and Pods. */
  readonly objects: readonly Fields[];
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
  const pieces: NodePieces = { problems: [] };
  const kinds = new Set<DocumentKind>();
  const objects: Fields[] = [];
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
  const told = readText(split.text, pieces);
  const empty = !told && kinds.size === 0 && objects.length === 0;
  return { path, kinds, pieces, objects, empty, isHtml: /^\s*<(!doctype|html)/i.test(text) };
}

function repeated(path: string, kind: DocumentKind): CoverageProblem {
  const message = `${path} tells the ${kind} of a node more than once: what stands last counts`;
  return { reason: 'unreadable', message, path };
}

/** The items of a list do not name their kind where the list does. */
function itemsOf(list: Fields): Fields[] {
  const kind = String(list.kind ?? '').replace(/List$/, '');
  return listOf(list.items)
    .map((item) => (item.kind === undefined ? { ...item, kind } : item))
    .filter((item) => item.kind === 'Node' || item.kind === 'Pod');
}

async function textOfFile(
  path: string,
  stdin: NodeJS.ReadableStream | undefined,
  pieces: NodePieces,
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

function readYaml(text: string, path: string, pieces: NodePieces) {
  return { documents: parseYaml(text, path, pieces), broken: [], text: '' };
}

/** A KubeletConfiguration file that was printed between other output. */
function yamlIn(text: string, path: string, pieces: NodePieces): readonly unknown[] {
  const start = text.search(/^(apiVersion: kubelet\.config|kind: KubeletConfiguration)/m);
  return start < 0 ? [] : parseYaml(text.slice(start), path, pieces);
}

function parseYaml(text: string, path: string, pieces: NodePieces): unknown[] {
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

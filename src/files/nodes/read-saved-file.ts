import { Readable } from 'node:stream';
import { fieldsListOf, fieldsOf, type Json, textOrEmpty } from '../../kube/json-value.ts';
import type { CoverageProblem, ProblemReason } from '../../snapshot/coverage.ts';
import {
  allBytes,
  decodedText,
  fileBytes,
  streamBytes,
  TrailingDataError,
  TruncatedError,
  unpacked,
} from '../input-bytes.ts';
import { documentsIn } from '../parsing/documents.ts';
import { jsonEnd, linesBefore } from '../parsing/parse-json.ts';
import { yamlReader } from '../parsing/parse-yaml.ts';
import type { NodeParts } from './node-facts.ts';
import { type DocumentKind, kindOfDocument, readDocument } from './read-document.ts';
import { readTextOutput } from './read-text-output.ts';

/** The content of one saved file. */
export interface SavedFile {
  readonly path: string;
  /** Documents about one node, which they do not name. */
  readonly kinds: ReadonlySet<DocumentKind>;
  readonly parts: NodeParts;
  /** Nodes, Pods and Events. */
  readonly objects: readonly Json[];
}

/** Says what is wrong at a 1-based line. */
type ReportFault = (reason: ProblemReason, line: number, why: string) => void;

/** Reads one file of saved output, packed with gzip or zstd or not; `-` is standard input. */
export async function readSavedFile(
  path: string,
  stdin: NodeJS.ReadableStream | undefined,
): Promise<SavedFile> {
  const parts: NodeParts = { problems: [] };
  const kinds = new Set<DocumentKind>();
  const objects: Json[] = [];
  const text = await textOfFile(path, stdin, parts);
  const report: ReportFault = (reason, line, why) =>
    parts.problems.push({ reason, message: `${path}, line ${line}: ${why}`, path, line });
  const documents: unknown[] = [];
  const isYaml = /\.ya?ml(\.\w+)?$/i.test(path);
  const between = isYaml ? '' : takeJson(text, documents, report);
  // A KubeletConfiguration file may have been printed between other output.
  const start = between.search(/^(apiVersion: kubelet\.config|kind: KubeletConfiguration)/m);
  if (isYaml) await takeYaml(text, documents, report);
  else if (start >= 0) await takeYaml(between.slice(start), documents, report);
  for (const document of documents) {
    const fields = fieldsOf(document);
    const kind = kindOfDocument(fields);
    if (kind === 'list') for (const item of itemsOfList(fields)) objects.push(item);
    else if (kind === 'node' || kind === 'pod' || kind === 'event') objects.push(fields);
    else if (kind !== undefined) {
      if (kinds.has(kind)) parts.problems.push(repeated(path, kind));
      readDocument(fields, kind, parts);
      kinds.add(kind);
    }
  }
  readTextOutput(between, parts);
  return { path, kinds, parts, objects };
}

function repeated(path: string, kind: DocumentKind): CoverageProblem {
  const message = `${path} contains the ${kind} of a node more than once: the last one counts`;
  return { reason: 'unreadable', message, path };
}

/** The items of a list do not name their kind where the list does. */
function itemsOfList(list: Json): Json[] {
  const kind = textOrEmpty(list.kind).replace(/List$/, '');
  return fieldsListOf(list.items)
    .map((item) => (item.kind === undefined ? { ...item, kind } : item))
    .filter(({ kind }) => kind === 'Node' || kind === 'Pod' || kind === 'Event');
}

async function textOfFile(
  path: string,
  stdin: NodeJS.ReadableStream | undefined,
  parts: NodeParts,
): Promise<string> {
  const packed = path === '-' && stdin ? streamBytes(Readable.from(stdin)) : fileBytes(path);
  const whole = await allBytes(untilCut(unpacked(packed), path, parts));
  return decodedText(whole);
}

async function* untilCut(
  bytes: AsyncIterable<Buffer>,
  path: string,
  parts: NodeParts,
): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    if (!(error instanceof TruncatedError || error instanceof TrailingDataError)) throw error;
    const why = error instanceof TruncatedError ? 'the compressed data is cut off' : error.message;
    parts.problems.push({ reason: 'truncated', message: `${path}: ${why}`, path });
  }
}

async function takeYaml(text: string, documents: unknown[], report: ReportFault): Promise<void> {
  for (const { value, fault, line } of documentsIn(text, await yamlReader())) {
    if (fault === undefined) documents.push(value);
    else report('unreadable', line, 'what begins there is not YAML');
  }
}

/**
 * Takes JSON documents out of saved output, and answers what is left: a document begins at a `{` or `[` that starts a
 * line.
 */
function takeJson(text: string, documents: unknown[], report: ReportFault): string {
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
    const end = jsonEnd(text, at);
    const line = linesBefore(text, at) + 1;
    if (end === undefined) {
      report('truncated', line, 'it ends in the middle of a JSON document');
      break;
    }
    try {
      documents.push(JSON.parse(text.slice(at, end)));
    } catch {
      report('truncated', line, 'what begins there is not JSON');
    }
    at = end;
    while (/\s/.test(text.charAt(at))) at += 1;
  }
  return between.join('\n');
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

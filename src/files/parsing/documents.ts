import { type Json, jsonOf } from '../../kube/json-value.ts';
import { DocumentReader } from './document-reader.ts';
import type { InputPart, TextPart } from './input-part.ts';
import { ParseFailure, parseJson } from './parse-json.ts';

/** Reads one document of YAML; throws ParseFailure. */
export type YamlReader = (text: string) => unknown;

/** A document of an input: what it says, or why it cannot be read. */
export interface ReadDocument {
  readonly value?: unknown;
  /** Never quotes the input. */
  readonly fault?: string | undefined;
  /** With a fault: the text that was not parsed; undefined where it may have contained any object. */
  readonly lost?: string | undefined;
  /** 1-based: where it begins, or where it is at fault. */
  readonly line: number;
  /** An entry of a JSON array, which kubectl does not read. */
  readonly inArray?: boolean | undefined;
}

/**
 * The documents of a text, in their order: JSON values and YAML, lists in one piece. Documents of nothing but comments are
 * left out.
 */
export function documentsIn(text: string, yaml: YamlReader): ReadDocument[] {
  const parts: InputPart[] = [];
  const reader = new DocumentReader('', (part) => parts.push(part));
  reader.write(Buffer.from(text));
  reader.end(false);
  const documents: ReadDocument[] = [];
  let elements: unknown[] = [];
  for (const part of parts) {
    const { kind, line } = part;
    if (kind === 'list-start') elements = [];
    if (kind === 'broken') {
      const lost = part.lostMore ? undefined : (part.text ?? '');
      documents.push({ fault: part.message, lost, line });
    }
    if (kind === 'broken' || kind === 'snapshot' || kind === 'list-start') continue;
    if (part.text === undefined) continue;
    const { value, failure } = parsedPart(part, part.text, yaml);
    if (failure) {
      // An element of a typed list does not name its kind.
      const lost = kind === 'element' ? undefined : part.text;
      documents.push({ fault: failure.message, lost, line: line + failure.lines });
    } else if (kind === 'element') elements.push(value);
    else if (kind === 'list-end')
      documents.push({ value: listWith(jsonOf(value) ?? {}, elements), line });
    else if (value !== null) documents.push({ value, line, inArray: part.inArray });
  }
  return documents;
}

function listWith(header: Json, elements: readonly unknown[]): Json {
  return { ...header, [header.kind === 'Simulation' ? 'objects' : 'items']: elements };
}

/** The objects of a document: lists in lists spread out, those of a PodList with the kind that it does not repeat. */
export function objectsIn(value: unknown): Json[] {
  const json = jsonOf(value);
  if (!json) return [];
  if (!Array.isArray(json.items)) return [json];
  // As decodeToList of apimachinery (unstructured/helpers.go).
  const kind = typeof json.kind === 'string' ? json.kind.replace(/List$/, '') : '';
  const type = kind === '' ? {} : { apiVersion: json.apiVersion, kind };
  return json.items.flatMap((item: unknown) => {
    const { kind: own } = Object(item) as Json;
    return objectsIn(own === undefined && jsonOf(item) ? { ...(item as Json), ...type } : item);
  });
}

/** What a text says, or why it cannot be read. */
export interface Parsed {
  readonly value?: unknown;
  readonly failure?: ParseFailure | undefined;
}

/** Braces that are not JSON may be YAML in flow style; more text than this is damaged JSON. */
const longestFlowYaml = 1024 * 1024;

export function parsedPart(
  { kind, syntax }: Pick<TextPart, 'kind' | 'syntax'>,
  text: string,
  yaml: YamlReader,
  json = syntax === 'json' ? parsedJson(text) : {},
): Parsed {
  if (syntax === 'yaml') {
    const { value, failure } = tried(() => yaml(text));
    // An element comes with its dash.
    return { value: kind === 'element' && Array.isArray(value) ? value[0] : value, failure };
  }
  if (!json.failure || kind === 'list-start' || text.length > longestFlowYaml) return json;
  const flow = tried(() => yaml(text));
  if (!flow.failure) return flow;
  // It knows better where the fault is.
  const lines = json.failure.lines || flow.failure.lines;
  return { failure: new ParseFailure(json.failure.message, lines) };
}

export function parsedJson(text: string): Parsed {
  return tried(() => parseJson(text));
}

function tried(parse: () => unknown): Parsed {
  try {
    return { value: parse() };
  } catch (error) {
    if (error instanceof ParseFailure) return { failure: error };
    throw error;
  }
}

import { factFieldsOf } from '../kube/facts/object-facts.ts';
import { bootstrapTokenType, serviceAccountTokenType } from '../kube/facts/secret.ts';
import type { FieldManager } from '../kube/object-record.ts';
import { fieldManagersOf } from '../kube/record-codec.ts';
import { ByteList } from '../kube/records/byte-list.ts';
import { ByteMemo } from '../kube/records/byte-memo.ts';
import { type ByteRange, ObjectBytes } from '../kube/records/object-bytes.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import type { InputContents } from './input-contents.ts';
import { countObject, type SeenKind } from './kind-table.ts';
import { objectFault } from './object-fault.ts';
import { partOf } from './parsing/kept-parts.ts';
import { JsonFieldReader, type KeptOfKind, ObjectScanner } from './parsing/scan-object.ts';

/** What is known of the objects of one apiVersion and kind. */
interface LineKind extends KeptOfKind {
  readonly seen: SeenKind;
  readonly type: ResourceType;
}

/** How managedFields spell who set a reference; letters may be escaped. */
const referenceMarks = ['f:ownerReferences', '\\u'];
const typeField = Buffer.from('type');
/** Only these Secrets have facts. */
const secretTypes: ReadonlySet<string> = new Set([serviceAccountTokenType, bootstrapTokenType]);

/**
 * Makes columns of the objects of one input that stand on lines of their own (NDJSON), without making an object of
 * each. It refuses what needs a closer look: then the line is parsed, and read as any other object.
 */
export class LineReader {
  readonly #contents: InputContents;
  readonly #path: string;
  readonly #scanner: ObjectScanner<LineKind>;
  readonly #object: ObjectBytes;
  readonly #kinds: LineKind[] = [];
  readonly #knownKinds = new ByteMemo();
  readonly #kindKey = new ByteList(256);

  constructor(contents: InputContents, path: string) {
    this.#contents = contents;
    this.#path = path;
    const reader = new JsonFieldReader();
    this.#object = new ObjectBytes(reader);
    this.#scanner = new ObjectScanner(reader, () => this.#findKind());
  }

  /** The object that it made columns of; undefined when it refuses the line. A line break stands at `end`. */
  read(bytes: Buffer, start: number, end: number, line: number): ObjectBytes | undefined {
    const { list, readTypes } = this.#contents;
    const scanner = this.#scanner;
    const object = this.#object;
    if (!list.takesBytes || scanner.scan(bytes, start, object) !== end) return undefined;
    const kind = scanner.kept as LineKind;
    object.type = kind.type;
    if (isSecret(kind.type) && this.#mayHaveFacts(bytes)) return undefined;
    object.writers = writersIn(bytes, scanner.managedFields);
    object.place = { path: this.#path, line };
    if (!list.addBytes(object)) return undefined;
    const namespaced = object.namespaceEnd > object.namespaceAt;
    countObject(kind.seen, { namespaced, stored: object.hasUid });
    readTypes.add(kind.type);
    return object;
  }

  /** Undefined for the first object of a kind, and for what is no object of a cluster. */
  #findKind(): LineKind | undefined {
    const { apiVersion, kind } = this.#scanner;
    const bytes = this.#object.bytes as Buffer;
    const key = this.#kindKey;
    key.length = 0;
    key.add(bytes, apiVersion.at, apiVersion.end);
    key.push(0);
    key.add(bytes, kind.at, kind.end);
    const known = this.#knownKinds.find(key.view, 0, key.length);
    if (known > 0) return this.#kinds[known - 1];
    const found = this.#kindOf(textIn(bytes, apiVersion), textIn(bytes, kind));
    if (found) this.#knownKinds.add(key.view, 0, key.length, this.#kinds.push(found));
    return found;
  }

  #kindOf(apiVersion: string, kind: string): LineKind | undefined {
    const seen = this.#contents.kinds.seen(apiVersion, kind);
    // The types that a CustomResourceDefinition defines stand in its spec.
    if (!seen || kind === 'CustomResourceDefinition') return undefined;
    if (objectFault({ apiVersion, kind, metadata: { name: kind } }) !== undefined) return undefined;
    const { type } = seen;
    const fields = factFieldsOf(type) ?? [];
    // Of a certificate only its end is kept, which does not stand in it in plain text.
    if (fields.some(({ shape }) => shape.form === 'certificate')) return undefined;
    const keepsGeneration = fields.some(({ path: [root] }) => root === 'metadata');
    return { seen, type, part: partOf(fields), keepsGeneration };
  }

  /** Only tokens have facts, and are looked at whole. */
  #mayHaveFacts(bytes: Buffer): boolean {
    const range = this.#scanner.field(typeField);
    if (range === undefined || range === 'twice') return range === 'twice';
    const type = textIn(bytes, range).slice(1, -1);
    return secretTypes.has(type) || type.includes('\\');
  }
}

function isSecret({ kind, group }: ResourceType): boolean {
  return kind === 'Secret' && group === '';
}

function writersIn(bytes: Buffer, range: ByteRange): readonly FieldManager[] | undefined {
  if (range.end === 0) return undefined;
  const text = textIn(bytes, range);
  return referenceMarks.some((mark) => text.includes(mark))
    ? fieldManagersOf(JSON.parse(text))
    : [];
}

function textIn(bytes: Buffer, { at, end }: ByteRange): string {
  return bytes.toString('utf8', at, end);
}

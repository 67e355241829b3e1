import { factFieldsOf, factsOf, type ObjectFacts } from '../kube/facts/object-facts.ts';
import { bootstrapTokenType, serviceAccountTokenType } from '../kube/facts/secret.ts';
import { ownField } from '../kube/facts/shape-in-json.ts';
import type { FieldManager } from '../kube/object-record.ts';
import { fieldManagersOf } from '../kube/record-codec.ts';
import { ByteList } from '../kube/records/byte-list.ts';
import { ByteMemo } from '../kube/records/byte-memo.ts';
import { type ByteRange, ObjectBytes } from '../kube/records/object-bytes.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import type { InputContents } from './input-contents.ts';
import { countObject, type SeenKind } from './kind-table.ts';
import { objectFault } from './object-fault.ts';
import { JsonFieldReader, ObjectScanner } from './parsing/scan-object.ts';

/** What is known of the objects of one apiVersion and kind. */
interface LineKind {
  readonly seen: SeenKind;
  readonly type: ResourceType;
  /** The fields that facts are read from, besides metadata. */
  readonly factFields: readonly { readonly name: string; readonly bytes: Buffer }[];
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
  readonly #scanner = new ObjectScanner();
  readonly #object = new ObjectBytes(new JsonFieldReader());
  readonly #kinds: LineKind[] = [];
  readonly #knownKinds = new ByteMemo();
  readonly #kindKey = new ByteList(256);

  constructor(contents: InputContents, path: string) {
    this.#contents = contents;
    this.#path = path;
  }

  /** The object that it made columns of; undefined when it refuses the line. A line break stands at `end`. */
  read(bytes: Buffer, start: number, end: number, line: number): ObjectBytes | undefined {
    const { list, readTypes } = this.#contents;
    const scanner = this.#scanner;
    const object = this.#object;
    if (!list.takesBytes || !scanner.scan(bytes, start, end, object)) return undefined;
    const kind = this.#kind(bytes);
    if (!kind || !this.#readFacts(bytes, kind)) return undefined;
    object.type = kind.type;
    object.writers = writersIn(bytes, scanner.managedFields);
    object.place = { path: this.#path, line };
    if (!list.addBytes(object)) return undefined;
    const namespaced = object.namespaceEnd > object.namespaceAt;
    countObject(kind.seen, { namespaced, stored: object.hasUid });
    readTypes.add(kind.type);
    return object;
  }

  /** Undefined for the first object of a kind, and for what is no object of a cluster. */
  #kind(bytes: Buffer): LineKind | undefined {
    const { apiVersion, kind } = this.#scanner;
    const key = this.#kindKey;
    key.length = 0;
    key.add(bytes, apiVersion.at, apiVersion.end);
    key.push(0);
    key.add(bytes, kind.at, kind.end);
    const known = this.#knownKinds.find(key.view, 0, key.length);
    if (known > 0) return this.#kinds[known - 1];
    const found = this.#kindOf(textIn(bytes, apiVersion), textIn(bytes, kind));
    if (found) this.#knownKinds.add(key.bytes, 0, key.length, this.#kinds.push(found));
    return found;
  }

  #kindOf(apiVersion: string, kind: string): LineKind | undefined {
    const seen = this.#contents.kinds.seen(apiVersion, kind);
    // The types that a CustomResourceDefinition defines stand in its spec.
    if (!seen || kind === 'CustomResourceDefinition') return undefined;
    if (objectFault({ apiVersion, kind, metadata: { name: kind } }) !== undefined) return undefined;
    const { type } = seen;
    const fields = factFieldsOf(type);
    const roots = new Set(fields?.flatMap(({ path: [root = ''] }) => root));
    roots.delete('metadata');
    if (fields) roots.add(ownField);
    const factFields = [...roots].map((name) => ({ name, bytes: Buffer.from(name) }));
    return { seen, type, factFields };
  }

  /** Parses no more than what facts are made of; false when it has to be looked at as a whole. */
  #readFacts(bytes: Buffer, { type, factFields }: LineKind): boolean {
    const scanner = this.#scanner;
    this.#object.facts = undefined;
    if (type.kind === 'Secret' && type.group === '') {
      const secretType = scanner.field(typeField);
      if (secretType === 'twice') return false;
      return !secretType || !secretTypes.has(textIn(bytes, secretType).slice(1, -1));
    }
    let object: Record<string, unknown> | undefined;
    for (const { name, bytes: key } of factFields) {
      const range = scanner.field(key);
      if (range === 'twice') return false;
      if (!range) continue;
      object ??= {};
      object[name] = JSON.parse(textIn(bytes, range));
    }
    if (!object) return true;
    const { generation } = scanner;
    if (generation.end > 0) object.metadata = { generation: JSON.parse(textIn(bytes, generation)) };
    this.#object.facts = factsOf(object, type) as ObjectFacts | undefined;
    return true;
  }
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

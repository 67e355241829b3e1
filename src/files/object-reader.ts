import { type Json, jsonOf, textOrEmpty } from '../kube/json-value.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { recordOf, shareEqualParts } from '../kube/record-codec.ts';
import { apiVersionOf, type ResourceType } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { CoverageProblem, ProblemReason } from '../snapshot/coverage.ts';
import { crdTypes, isCustomResourceDefinition } from './crd-types.ts';
import type { InputContents } from './input-contents.ts';
import { giveTypes } from './kind-table.ts';
import { isBesideObjects, objectFault } from './object-fault.ts';
import type { SnapshotPart } from './parsing/input-part.ts';
import { UnreadableInput } from './parsing/parse-json.ts';
import { ShownTogether } from './shown-together.ts';

/** An input of objects has few other things in it; one that has so many is something else. */
const mostOthers = 20_000;
/** More problems of one sort in one file are counted, not listed. */
const mostProblems = 20;

export interface HowFound {
  /** Where objects lie among other files, a file that is not an object is not a problem. */
  readonly ignoresOthers?: boolean;
  /** It was found in a folder, and not named. */
  readonly inFolder?: boolean;
  /** What a program made from the file at this path: its lines are not lines of that. */
  readonly isRendered?: boolean;
  /** The folder of which all single objects were saved together; by default those of one file were. */
  readonly savedAs?: string;
  /** Names in its path of which one may be the namespace that was listed. */
  readonly pathNames?: readonly string[];
}

/** Makes records of the objects that one input shows, and keeps what is wrong with it. */
export class ObjectReader {
  readonly path: string;
  readonly contents: InputContents;
  /** Objects and lists that could be used. */
  used = 0;
  /** Objects without a uid, outside of saved snapshots. */
  withoutUid = 0;
  /** The first problem, without the input's path. */
  firstProblem: string | undefined;
  readonly #found: HowFound;
  #singles: ShownTogether | undefined;
  readonly #problems: CoverageProblem[] = [];
  readonly #counts = new Map<ProblemReason, number>();
  #others = 0;
  #isAside = false;

  constructor(path: string, contents: InputContents, found: HowFound = {}) {
    this.path = path;
    this.contents = contents;
    this.#found = found;
  }

  get pathNames(): readonly string[] {
    return this.#found.pathNames ?? [];
  }

  /** What the objects that stand in no list show. */
  get singles(): ShownTogether {
    this.#singles ??= this.contents.singlesOf(this.#found.savedAs ?? this.path);
    return this.#singles;
  }

  /** What the items of a list that begins will show. */
  listBegins(): ShownTogether {
    const items = new ShownTogether(this.path, true);
    this.contents.shown.push(items);
    return items;
  }

  /** One object of a document or a list. */
  add(value: unknown, line: number, together: ShownTogether): void {
    const fault = objectFault(value);
    if (fault === undefined) {
      this.used++;
      together.add(this.#addShown(value as Json, this.#found.isRendered ? 1 : line));
      return;
    }
    this.#others++;
    if (this.#others > mostOthers)
      throw new UnreadableInput(`more than ${mostOthers} things in it are not objects`);
    const json = jsonOf(value);
    if (this.#isBeside(json)) return;
    this.#lose(json);
    if (hasName(json)) this.#report('not-an-object', fault, line);
    else this.problem('not-an-object', fault, line);
  }

  /** A saved snapshot as a whole. */
  addSnapshot({ header, records, line }: SnapshotPart): void {
    const { contents } = this;
    contents.snapshots.push(header);
    contents.kinds.addSaved(header.types);
    // All share the types of the first that has them.
    if (contents.snapshots.length > 1) this.#shareTypes(header.types, records, line);
    for (const record of records) contents.records.push(record);
    this.used += records.length + 1;
  }

  #shareTypes(own: ResourceTypes, records: readonly ObjectRecord[], line: number): void {
    const { contents, path } = this;
    const types = new Map<ResourceType, ResourceType>();
    for (const type of new Set(records.map((record) => record.type))) {
      const [apiVersion, { kind }] = [apiVersionOf(type), type];
      // One that is not in the snapshot's list says itself what it is.
      if (own.find(apiVersion, kind) !== type) continue;
      types.set(type, contents.kinds.seen(apiVersion, kind, { path, line }).type);
    }
    giveTypes(records, (type) => types.get(type) ?? type);
  }

  /** `message` is about the document; the input and the line are put in front of it. */
  problem(reason: ProblemReason, message: string, line?: number): void {
    if (reason !== 'not-an-object' || !this.#found.ignoresOthers)
      this.#report(reason, message, line);
  }

  #report(reason: ProblemReason, message: string, line?: number): void {
    const count = (this.#counts.get(reason) ?? 0) + 1;
    this.#counts.set(reason, count);
    this.firstProblem ??= line === undefined ? message : `line ${line}: ${message}`;
    if (count > mostProblems) return;
    const { path } = this;
    const where = line === undefined ? path : `${path}:${line}`;
    const problem = { reason, message: `${where}: ${message}`, path };
    this.#problems.push(line === undefined ? problem : { ...problem, line });
  }

  problems(): CoverageProblem[] {
    const { path } = this;
    const more = [...this.#counts].flatMap(([reason, count]) =>
      count > mostProblems
        ? [{ reason, message: `${path}: ${count - mostProblems} more problems like these`, path }]
        : [],
    );
    return [...this.#problems, ...more];
  }

  /** A folder of manifests contains other documents, too. */
  #isBeside(json: Json | undefined): boolean {
    if (!json || !this.#found.inFolder || !isBesideObjects(json)) return false;
    if (!this.#isAside)
      this.contents.aside.push({ path: this.path, what: 'other', file: this.path });
    this.#isAside = true;
    return true;
  }

  /** A kind that is named has lost an object; without one, as where an input is cut off, any kind may have. */
  #lose(json: Json | undefined): void {
    const kind = textOrEmpty(json?.kind);
    if (kind && hasName(json)) this.contents.lost.addKind(kind);
    else if (!kind && json?.apiVersion !== undefined) this.contents.lost.addAnything();
  }

  #addShown(object: Json, line: number): ObjectRecord {
    const { kinds, records, onObject } = this.contents;
    if (isCustomResourceDefinition(object)) kinds.define(crdTypes(object));
    const place = { path: this.path, line };
    const seen = kinds.seen(textOrEmpty(object.apiVersion), textOrEmpty(object.kind), place);
    const metadata = jsonOf(object.metadata);
    seen.objects++;
    seen.namespaced ||= Boolean(metadata?.namespace);
    seen.stored ||= Boolean(metadata?.uid);
    const record = recordOf(object, seen.type, place);
    if (record.uid === '') this.withoutUid++;
    shareEqualParts(record, records.at(-1));
    records.push(record);
    onObject?.(object, record);
    return record;
  }
}

function hasName(json: Json | undefined): boolean {
  return jsonOf(json?.metadata)?.name !== undefined;
}

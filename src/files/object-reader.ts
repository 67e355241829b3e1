import { shareEqualParts } from '../kube/equal-parts.ts';
import { type Json, jsonOf, textOf } from '../kube/json-value.ts';
import type { Place } from '../kube/object-record.ts';
import { recordOf } from '../kube/record-codec.ts';
import type { CoverageProblem, ProblemReason } from '../snapshot/coverage.ts';
import { crdTypes, isCustomResourceDefinition } from './crd-types.ts';
import type { InputContents } from './input-contents.ts';
import { isBesideObjects, objectFault } from './object-fault.ts';
import { NotText } from './parsing/parse-json.ts';

/** An input of objects has few other things in it; one that has so many is something else. */
const mostOthers = 20_000;

export interface HowFound {
  /** Where objects lie among other files, a file that is not an object is not a problem. */
  readonly ignoresOthers?: boolean;
  /** It was found in a folder, and not named. */
  readonly inFolder?: boolean;
  /** What a program made from the file at this path: its lines are not lines of that. */
  readonly isRendered?: boolean;
}

/** Makes records of the objects that one input shows. */
export class ObjectReader {
  readonly path: string;
  readonly contents: InputContents;
  /** Objects and lists that could be used. */
  used = 0;
  /** Objects without a uid, outside of saved snapshots. */
  withoutUid = 0;
  #others = 0;
  readonly #log: ProblemLog;
  readonly #ignoresOthers: boolean;
  readonly #inFolder: boolean;
  readonly #isRendered: boolean;
  #isAside = false;

  constructor(
    path: string,
    contents: InputContents,
    log: ProblemLog,
    { ignoresOthers = false, inFolder = false, isRendered = false }: HowFound,
  ) {
    this.path = path;
    this.contents = contents;
    this.#log = log;
    this.#ignoresOthers = ignoresOthers;
    this.#inFolder = inFolder;
    this.#isRendered = isRendered;
  }

  /** One object of a document or a list. */
  add(value: unknown, line: number): void {
    const fault = objectFault(value);
    if (fault !== undefined) {
      this.#others++;
      if (this.#others > mostOthers)
        throw new NotText(`more than ${mostOthers} things in it are not objects`);
      const json = jsonOf(value);
      if (this.#isBeside(json)) return;
      this.#lose(json);
      this.problem('not-an-object', fault, line);
      return;
    }
    this.used++;
    this.#addShown(value as Json, { path: this.path, line: this.#isRendered ? 1 : line });
  }

  /** A folder of manifests holds other things. */
  #isBeside(json: Json | undefined): boolean {
    if (!json || !this.#inFolder || !isBesideObjects(json)) return false;
    if (!this.#isAside)
      this.contents.aside.push({ path: this.path, what: 'other', file: this.path });
    this.#isAside = true;
    return true;
  }

  /** Where objects lie among other files, a file that is not an object is not a problem. */
  problem(reason: ProblemReason, message: string, line: number): void {
    if (reason === 'not-an-object' && this.#ignoresOthers) return;
    this.#log.add(reason, message, line);
  }

  /** A kind that is named has lost an object; without one, as where an input is cut off, any kind may have. */
  #lose(json: Json | undefined): void {
    const kind = textOf(json?.kind);
    if (kind && jsonOf(json?.metadata)?.name !== undefined) this.contents.lost.addKind(kind);
    else if (!kind && json?.apiVersion !== undefined) this.contents.lost.addAnything();
  }

  #addShown(object: Json, place: Place): void {
    const { kinds, records, readTypes, onObject } = this.contents;
    if (isCustomResourceDefinition(object)) kinds.define(crdTypes(object));
    const type = this.#typeOf(object, place);
    const record = recordOf(object, type, place);
    if (record.uid === '') this.withoutUid++;
    readTypes.add(type);
    shareEqualParts(record, records.at(-1));
    records.push(record);
    onObject?.(object, record);
  }

  #typeOf(object: Json, place: Place) {
    const metadata = jsonOf(object.metadata);
    const observed = {
      namespaced: Boolean(metadata?.namespace),
      stored: Boolean(metadata?.uid),
    };
    const { apiVersion, kind } = object;
    return this.contents.kinds.use(textOf(apiVersion) ?? '', textOf(kind) ?? '', observed, place);
  }
}

/** More problems of one sort in one file are counted, not listed. */
const listed = 20;

/** The problems of one input. */
export class ProblemLog {
  readonly #path: string;
  readonly #problems: CoverageProblem[] = [];
  #first: string | undefined;
  readonly #counts = new Map<ProblemReason, number>();

  constructor(path: string) {
    this.#path = path;
  }

  /** `message` is about the document; the input and the line are put in front of it. */
  add(reason: ProblemReason, message: string, line?: number): void {
    const count = (this.#counts.get(reason) ?? 0) + 1;
    this.#counts.set(reason, count);
    this.#first ??= line === undefined ? message : `line ${line}: ${message}`;
    if (count > listed) return;
    const path = this.#path;
    const where = line === undefined ? path : `${path}:${line}`;
    const problem = { reason, message: `${where}: ${message}`, path };
    this.#problems.push(line === undefined ? problem : { ...problem, line });
  }

  /** The first problem, without the input's path. */
  get first(): string | undefined {
    return this.#first;
  }

  all(): CoverageProblem[] {
    const path = this.#path;
    const more = [...this.#counts].flatMap(([reason, count]) =>
      count > listed
        ? [{ reason, message: `${path}: ${count - listed} more problems like these`, path }]
        : [],
    );
    return [...this.#problems, ...more];
  }
}

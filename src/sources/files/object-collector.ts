import type { Place } from '../../kube/object-record.ts';
import { recordOf } from '../../kube/record-codec.ts';
import type { ProblemReason } from '../../snapshot/coverage.ts';
import { decodeRecord, savedTypeOf } from '../../snapshot/decode-record.ts';
import { type Json, jsonOf, textOf } from '../../snapshot/json-value.ts';
import { crdTypes, isCustomResourceDefinition } from './crd-types.ts';
import type { Gathering } from './gathering.ts';
import { objectFault } from './object-fault.ts';
import type { ProblemLog } from './problem-log.ts';

/** Makes records of the objects that one input shows. */
export class ObjectCollector {
  readonly path: string;
  readonly gathering: Gathering;
  /** Objects and lists that could be used. */
  used = 0;
  /** Objects without a uid, outside of saved snapshots. */
  withoutUid = 0;
  readonly #log: ProblemLog;
  readonly #ignoresOthers: boolean;

  constructor(path: string, gathering: Gathering, log: ProblemLog, ignoresOthers: boolean) {
    this.path = path;
    this.gathering = gathering;
    this.#log = log;
    this.#ignoresOthers = ignoresOthers;
  }

  /** One object of a document, of a list, or (`saved`) of a saved snapshot. */
  add(value: unknown, line: number, saved: boolean): void {
    const fault = objectFault(value);
    if (fault !== undefined) {
      // It has no name, but an audit reads it on its own.
      if (jsonOf(value)?.kind === 'KubeletConfiguration') this.used++;
      this.problem('not-an-object', fault, line);
      return;
    }
    const object = value as Json;
    const place = { path: this.path, line };
    this.used++;
    if (saved) this.#addSaved(object, place);
    else this.#addShown(object, place);
  }

  /** Where objects lie beside much else, what is no object is no problem. */
  problem(reason: ProblemReason, message: string, line: number): void {
    if (reason === 'not-an-object' && this.#ignoresOthers) return;
    this.#log.add(reason, message, line);
  }

  #addShown(object: Json, place: Place): void {
    const { kinds, records, readTypes, compactor, onObject } = this.gathering;
    if (isCustomResourceDefinition(object)) kinds.define(crdTypes(object));
    const type = this.#typeOf(object, place);
    const record = recordOf(object, type, place);
    if (record.uid === '') this.withoutUid++;
    readTypes.add(type);
    records.push(compactor.compact(record));
    onObject?.(object, record);
  }

  #addSaved(object: Json, place: Place): void {
    const type = savedTypeOf(object) ?? this.#typeOf(object, place);
    const record = decodeRecord(object, type, place);
    this.gathering.records.push(this.gathering.compactor.compact(record));
  }

  #typeOf(object: Json, place: Place) {
    const metadata = jsonOf(object.metadata);
    const observed = {
      namespaced: Boolean(metadata?.namespace),
      stored: Boolean(metadata?.uid),
    };
    const { apiVersion, kind } = object;
    return this.gathering.kinds.use(textOf(apiVersion) ?? '', textOf(kind) ?? '', observed, place);
  }
}

import { isGcError } from '../errors.ts';
import { shareEqualParts } from '../kube/equal-parts.ts';
import { type Json, jsonOf } from '../kube/json-value.ts';
import type { ObjectRecord, Place } from '../kube/object-record.ts';
import { apiVersionOf, type ResourceType } from '../kube/resource-type.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import {
  decodeRecord,
  decodeSnapshotHeader,
  invalid,
  type SnapshotHeader,
} from '../snapshot/saved-snapshot.ts';
import { giveTypes } from './kind-table.ts';
import { objectFault } from './object-fault.ts';
import type { ObjectReader } from './object-reader.ts';
import type { SnapshotEnd } from './parsing/input-part.ts';
import { ParseFailure, parseJson } from './parsing/parse-json.ts';

/** Reads a saved snapshot. Nothing of it counts before its end shows that it is whole. */
export class SavedSnapshotReader {
  readonly #objects: ObjectReader;
  readonly #records: ObjectRecord[] = [];
  #header: SnapshotHeader | undefined;
  #place: Place | undefined;
  /** How many objects it says that it has. */
  #objectCount = 0;
  #fault: string | undefined;

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  start(text: string): void {
    this.#try(() => {
      const json = jsonOf(parseJson(text)) ?? {};
      this.#header = decodeSnapshotHeader(json);
      if (!Number.isSafeInteger(json.objectCount)) {
        throw invalid('it does not say how many objects it has');
      }
      this.#objectCount = Number(json.objectCount);
    });
  }

  object(text: string, line: number): void {
    const types = this.#header?.types;
    if (!types || this.#fault !== undefined) return;
    this.#try(() => {
      const object = parseJson(text);
      const fault = objectFault(object);
      if (fault !== undefined) throw invalid(fault);
      // One place for all: a compressed file has no lines to look at.
      this.#place ??= { path: this.#objects.path, line };
      const record = decodeRecord(object as Json, types, this.#place);
      shareEqualParts(record, this.#records.at(-1));
      this.#records.push(record);
    });
  }

  end({ line, crc, told }: SnapshotEnd): void {
    const header = this.#header;
    const read = `${this.#records.length} of its ${this.#objectCount} objects`;
    if (told === undefined) {
      const there = header ? `after ${read}` : 'before its first object';
      this.#refuse('truncated', `the saved snapshot that begins here is cut off ${there}`, line);
    } else if (crc !== told) {
      const sums = `its CRC-32 is ${crc}, not ${told}`;
      const message = `the saved snapshot that begins here is damaged, or was changed after it was saved: ${sums}`;
      this.#refuse('unreadable', message, line);
    } else if (this.#fault !== undefined || !header || this.#records.length !== this.#objectCount) {
      this.#refuse('unreadable', this.#fault ?? `only ${read} are there`, line);
    } else this.#add(header, line);
  }

  #try(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (isGcError(error)) this.#fault ??= error.message;
      else if (error instanceof ParseFailure) {
        this.#fault ??= `the saved snapshot cannot be used: ${error.message}`;
      } else throw error;
    }
  }

  #refuse(reason: CoverageProblem['reason'], why: string, line: number): void {
    this.#objects.problem(
      reason,
      `${why}. Nothing of it was used: an object that it may hold counts as unknown`,
      line,
    );
    this.#objects.contents.lost.addAnything();
  }

  #add(header: SnapshotHeader, line: number): void {
    const { contents, path } = this.#objects;
    contents.snapshots.push(header);
    contents.kinds.addSaved(header.types);
    const types = new Map<ResourceType, ResourceType>();
    for (const type of new Set(this.#records.map((record) => record.type))) {
      const [apiVersion, { kind }] = [apiVersionOf(type), type];
      // One that is not in the snapshot's list says itself what it is.
      if (header.types.find(apiVersion, kind) !== type) continue;
      types.set(type, contents.kinds.seen(apiVersion, kind, { path, line }).type);
    }
    giveTypes(this.#records, (type) => types.get(type) ?? type);
    for (const record of this.#records) contents.records.push(record);
    this.#objects.used += this.#records.length + 1;
  }
}

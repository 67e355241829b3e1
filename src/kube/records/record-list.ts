import type { ObjectRecord } from '../object-record.ts';
import { MemoryBlockBuilder, storedRecords } from './block-builder.ts';
import type { ObjectBytes } from './object-bytes.ts';
import type { RecordBlock } from './record-block.ts';

/** Fewer objects stay as they are: what looks at them is spared the columns. */
const fewestPacked = 512;

/**
 * Records as they are read. Few stay as they are; where there are many, all go into blocks, so that each is
 * garbage as soon as it was added. From then on objects may come as bytes, of which no record is made at all.
 */
export class RecordList {
  readonly blocks: RecordBlock[] = [];
  /** How many came as blocks. */
  inBlocks = 0;
  readonly #records: ObjectRecord[] = [];
  /** What stands in front of this is in its place for good. */
  #settled = 0;
  #builder: MemoryBlockBuilder | undefined;
  readonly #fewest: number;

  /** `fewest`: from how many on they are packed; Infinity: every record stays the one that was added. */
  constructor(fewest = fewestPacked) {
    this.#fewest = fewest;
    if (fewest === 0) this.#packAll();
  }

  add(record: ObjectRecord): void {
    if (this.#builder) this.#build(record, this.#builder);
    else {
      this.#records.push(record);
      if (this.#records.length - this.#settled >= this.#fewest) this.#packAll();
    }
  }

  get takesBytes(): boolean {
    return this.#builder !== undefined;
  }

  /** False of an object that has to come as a record. */
  addBytes(object: ObjectBytes): boolean {
    const builder = this.#builder;
    if (!builder?.addBytes(object)) return false;
    if (builder.isFull) this.#startBlock(builder);
    return true;
  }

  /** How many there are. */
  get length(): number {
    return this.#records.length + (this.#builder?.rows ?? 0);
  }

  addBlock(block: RecordBlock): void {
    this.#finishBlock();
    this.inBlocks += block.rows;
    this.#addStored(block);
  }

  /** All records so far. */
  get records(): ObjectRecord[] {
    this.#finishBlock();
    return this.#records;
  }

  #packAll(): void {
    this.#builder = new MemoryBlockBuilder();
    for (const record of this.#records.splice(this.#settled)) this.#build(record, this.#builder);
  }

  #build(record: ObjectRecord, builder: MemoryBlockBuilder): void {
    builder.add(record);
    if (builder.isFull) this.#startBlock(builder);
  }

  #startBlock(full: MemoryBlockBuilder): void {
    this.#addStored(full.block());
    this.#builder = new MemoryBlockBuilder();
  }

  #finishBlock(): void {
    if (!this.#builder) return;
    if (this.#builder.rows > 0) this.#addStored(this.#builder.block());
    this.#builder = undefined;
  }

  #addStored(block: RecordBlock): void {
    this.blocks.push(block);
    for (const record of storedRecords(block)) this.#records.push(record);
    this.#settled = this.#records.length;
  }
}

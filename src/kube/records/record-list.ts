import type { ObjectRecord } from '../object-record.ts';
import { MemoryBlockBuilder, storedRecords } from './block-builder.ts';
import type { RecordBlock } from './record-block.ts';
import { blockRows } from './record-columns.ts';

/**
 * Records as they are read. Few stay as they are; where there are more than a block holds, all go into blocks, so
 * that each is garbage as soon as it was added.
 */
export class RecordList {
  readonly blocks: RecordBlock[] = [];
  /** How many came as blocks. */
  inBlocks = 0;
  readonly #records: ObjectRecord[] = [];
  /** What stands in front of this is in its place for good. */
  #settled = 0;
  #builder: MemoryBlockBuilder | undefined;
  readonly #packs: boolean;

  /** Without `packs` every record stays the one that was added. */
  constructor(packs = true) {
    this.#packs = packs;
  }

  add(record: ObjectRecord): void {
    if (this.#builder) this.#build(record, this.#builder);
    else {
      this.#records.push(record);
      if (this.#packs && this.#records.length - this.#settled >= blockRows) this.#packAll();
    }
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
    if (!builder.isFull) return;
    this.#addStored(builder.block());
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

import {
  ByteWriter,
  type ColumnSource,
  ParquetWriter,
  schemaFromColumnData,
} from 'hyparquet-writer';
import type { ExportTable } from './export-tables.ts';

const types = { text: 'STRING', time: 'TIMESTAMP', count: 'INT32', flag: 'BOOLEAN' } as const;

/**
 * Rows that are in memory at a time, and that an engine reads or passes over at a time. More of them outlive the young
 * generation of the heap, and the memory grows with the table.
 */
const groupSize = 10_000;

type Rows = ReturnType<ExportTable['rows']>;

/** A Parquet file of one table, in pieces, so that the rows are never in memory together. */
export class ParquetFile {
  readonly #columns: readonly (ColumnSource & { readonly data: unknown[] })[];
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;
  rows = 0;

  constructor({ columns }: ExportTable) {
    this.#columns = Object.entries(columns).map(([name, type]) => ({
      name,
      type: types[type],
      nullable: true,
      data: [],
    }));
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaFromColumnData({ columnData: [...this.#columns] }),
      createdBy: 'kubectl gc',
    });
  }

  /** The pieces that are whole with these rows. */
  *add(rows: Rows): Generator<Uint8Array> {
    for (const row of rows) {
      for (const [at, { data }] of this.#columns.entries()) data.push(row[at] ?? null);
      this.rows += 1;
      if (this.rows % groupSize !== 0) continue;
      this.#write();
      yield this.#taken();
    }
  }

  /** The last piece. */
  end(): Uint8Array {
    if (this.rows % groupSize !== 0) this.#write();
    this.#writer.finish();
    return this.#taken();
  }

  #write(): void {
    this.#writer.write({ columnData: [...this.#columns], rowGroupSize: groupSize });
    for (const { data } of this.#columns) data.length = 0;
  }

  #taken(): Uint8Array {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return bytes;
  }
}

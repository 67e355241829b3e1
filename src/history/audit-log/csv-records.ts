import { TextCapture } from '../../files/parsing/input-part.ts';
import { NEWLINE, QUOTE } from '../../syntax/ascii.ts';

/** Columns that hold an event, or the fields of one. */
const eventColumns: ReadonlySet<string> = new Set([
  '@message',
  'message',
  'log_s',
  'AuditId',
  'properties',
]);

/** Is a line the first of a CSV whose rows hold events? */
export function isCsvHeader(line: string): boolean {
  return fieldsOfRecord(line).some((field) => eventColumns.has(columnName(field)));
}

/** The portal of Azure Monitor writes the time zone behind the names of columns. */
function columnName(field: string): string {
  return field.trim().replace(/ \[UTC\]$/, '');
}

/** Gets undefined for a record that is too large. */
type EmitRow = (row: Readonly<Record<string, string>> | undefined, line: number) => void;

/** The records of a CSV (RFC 4180), each with the line on which it begins; the first one names the columns. */
export class CsvRecords {
  readonly #emit: EmitRow;
  readonly #record = new TextCapture();
  #columns: readonly string[] | undefined;
  #isQuoted = false;
  #line: number;
  #startLine: number;

  constructor(emit: EmitRow, line: number) {
    this.#emit = emit;
    this.#line = line;
    this.#startLine = line;
  }

  write(bytes: Buffer): void {
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      else if (byte === NEWLINE) {
        this.#line++;
        if (this.#isQuoted) continue;
        this.#record.add(bytes, start, at);
        this.#endRecord();
        start = at + 1;
      }
    }
    this.#record.add(bytes, start, bytes.length);
  }

  /** Answers whether the last record was whole. */
  end(): boolean {
    if (this.#isQuoted) return false;
    this.#endRecord();
    return true;
  }

  get startLine(): number {
    return this.#startLine;
  }

  #endRecord(): void {
    const { tooLarge } = this.#record;
    const text = this.#record.take().replace(/\r$/, '');
    const line = this.#startLine;
    this.#startLine = this.#line;
    if (tooLarge) this.#emit(undefined, line);
    else if (text !== '') {
      const fields = fieldsOfRecord(text);
      const columns = this.#columns;
      if (!columns) this.#columns = fields.map(columnName);
      else
        this.#emit(Object.fromEntries(columns.map((name, at) => [name, fields[at] ?? ''])), line);
    }
  }
}

function fieldsOfRecord(record: string): string[] {
  const fields: string[] = [];
  for (let at = 0; at <= record.length; ) {
    if (record[at] === '"') {
      let end = record.indexOf('"', at + 1);
      while (end >= 0 && record[end + 1] === '"') end = record.indexOf('"', end + 2);
      const close = end < 0 ? record.length : end;
      fields.push(record.slice(at + 1, close).replaceAll('""', '"'));
      const comma = record.indexOf(',', close);
      at = comma < 0 ? record.length + 1 : comma + 1;
    } else {
      const comma = record.indexOf(',', at);
      const close = comma < 0 ? record.length : comma;
      fields.push(record.slice(at, close));
      at = close + 1;
    }
  }
  return fields;
}

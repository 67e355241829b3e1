import { JSONPath } from 'jsonpath-plus';
import { usageError } from '../../errors.ts';
import { compareText } from '../../kube/names.ts';
import { jsonText, printable } from '../printable.ts';
import type { RenderOptions } from '../style.ts';
import { renderTable } from '../tables/table.ts';
import {
  type Part,
  parseColumns,
  parseJsonPath,
  relaxed,
  type Template,
  withoutUnions,
} from './template.ts';

/** A document as a template of kubectl prints it. */
export function renderTemplate(
  document: object,
  { kind, text }: Template,
  options: RenderOptions,
): string {
  if (kind === 'custom-columns') return customColumns(document, text, options);
  return printed(parseJsonPath(text), document);
}

function printed(parts: readonly Part[], current: unknown): string {
  return parts
    .map((part) => {
      if (part.type === 'text') return part.text;
      const values = valuesAt(part.path, current);
      return part.type === 'path'
        ? values.map(inText).join(' ')
        : values.map((value) => printed(part.body, value)).join('');
    })
    .join('');
}

/** Names and messages come from a cluster: what a terminal would obey is made visible. */
function inText(value: unknown): string {
  return typeof value === 'object' && value !== null ? jsonText(value) : printable(String(value));
}

/** In a range `$` is what `@` is: kubectl has it so. */
function valuesAt(path: string, json: unknown): unknown[] {
  if (typeof json !== 'object' || json === null) return /^[$@]$/.test(path) ? [json] : [];
  try {
    return withoutUnions(path).flatMap((one) => {
      const found: unknown = JSONPath({
        path: `$${one.slice(1)}`,
        json,
        wrap: true,
        eval: 'safe',
        // What a filter goes through need not be there.
        ignoreEvalErrors: true,
      });
      return Array.isArray(found) ? found : [];
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usageError(`error parsing jsonpath ${path}, ${why}`);
  }
}

function customColumns(document: object, text: string, options: RenderOptions): string {
  const columns = parseColumns(text);
  const rows = rowsOf(document).map((row) =>
    columns.map(({ path }) => valuesAt(path, row).map(inText).join(',') || '<none>'),
  );
  const headers = columns.map(({ header }) => header);
  // Without rows kubectl prints the headers all the same.
  return rows.length > 0 || options.noHeaders
    ? renderTable(headers, rows, { ...options, width: undefined })
    : `${headers.join('   ')}\n`;
}

/** What a document lists; one that lists nothing is a row itself. */
function rowsOf(document: object): readonly unknown[] {
  const { items, objects, nodes } = document as Readonly<Record<string, unknown>>;
  const rows = items ?? objects ?? nodes;
  return Array.isArray(rows) ? rows : [document];
}

/** `--sort-by`: the document with its items in the order of what the path finds, those without first. */
export function sortedBy<T extends object>(document: T, path: string): T {
  const { items } = document as { readonly items?: unknown };
  if (!Array.isArray(items)) return document;
  const where = relaxed(path);
  const keyed = items.map((item) => ({ item, key: valuesAt(where, item)[0] }));
  keyed.sort((a, b) => compareValues(a.key, b.key));
  return { ...document, items: keyed.map(({ item }) => item) };
}

function compareValues(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined)
    return Number(b === undefined) - Number(a === undefined) || 0;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return compareText(String(a), String(b));
}

import { JSONPath } from 'jsonpath-plus';
import { usageError } from '../../errors.ts';
import { compareText } from '../../kube/names.ts';
import { jsonText } from '../../syntax/json-text.ts';
import { printable } from '../printable.ts';
import type { RenderOptions } from '../style.ts';
import { renderTable } from '../tables/table.ts';
import type { Template } from './template.ts';

/** A document as a template of kubectl prints it. */
export function renderTemplate(
  document: object,
  { kind, text }: Template,
  options: RenderOptions,
): string {
  if (kind === 'custom-columns') return customColumns(document, text, options);
  return printerOf(text)(document);
}

type Print = (current: unknown) => string;

const jsonpathExample = 'For example: -o jsonpath={.items[*].object.name}';

/** What `{range .items[*]}{.name}{"\\n"}{end}` prints. Mirrors jsonpath.Parse of client-go. */
function printerOf(template: string): Print {
  const stack: { path: string; prints: Print[] }[] = [{ path: '', prints: [] }];
  const inOrder = (prints: readonly Print[]) => (current: unknown) =>
    prints.map((print) => print(current)).join('');
  for (const { text, isAction } of piecesOf(template)) {
    const top = stack.at(-1);
    const range = /^range\s+([\s\S]+)$/.exec(text)?.[1];
    if (!isAction) top?.prints.push(() => text);
    else if (range !== undefined) stack.push({ path: pathOf(range, template), prints: [] });
    else if (text === 'end') {
      const closed = stack.pop();
      const outer = stack.at(-1);
      if (!closed || !outer) throw invalidTemplate(template, 'not in range, nothing to end');
      const body = inOrder(closed.prints);
      outer.prints.push((current) => valuesAt(closed.path, current).map(body).join(''));
    } else if (/^(["'])[\s\S]*\1$/.test(text)) top?.prints.push(() => unquoted(text));
    else if (/^([+-]?\d+(\.\d+)?|true|false)$/.test(text)) top?.prints.push(() => text);
    else {
      const path = pathOf(text, template);
      top?.prints.push((current) => valuesAt(path, current).map(inText).join(' '));
    }
  }
  if (stack.length > 1) throw invalidTemplate(template, 'unclosed range');
  return inOrder(stack[0]?.prints ?? []);
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
    throw usageError(`error parsing jsonpath ${path}, ${why}`, [jsonpathExample]);
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
    ? renderTable(headers, rows, { ...options, width: undefined, wide: true })
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

/** What stands in braces, and what around them. */
function piecesOf(template: string): { readonly text: string; readonly isAction: boolean }[] {
  const pieces: { text: string; isAction: boolean }[] = [];
  const piece = /\{((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^{}"'])*)\}|([^{]+)|\{/gy;
  for (const [whole, action, text] of template.matchAll(piece)) {
    if (text !== undefined) pieces.push({ text, isAction: false });
    else if (action !== undefined) pieces.push({ text: action.trim(), isAction: true });
    else throw invalidTemplate(template, `unclosed action at ${whole}`);
  }
  return pieces;
}

function unquoted(text: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
  return text.slice(1, -1).replace(/\\([\s\S])/g, (_, char: string) => escapes[char] ?? char);
}

const filters = /(\[\?\((?:"[^"]*"|'[^']*'|[^"')])*\)\])/;

/** A path of kubectl's as jsonpath-plus reads it: from `$` or `@`, with names in quotes where they have dots. */
function pathOf(text: string, template: string): string {
  if (!/^[$@.[]/.test(text)) throw invalidTemplate(template, `unrecognized identifier ${text}`);
  const from = /^[$@]/.test(text) ? text : `@${text}`;
  return from
    .split(filters)
    .map((part, index) => (index % 2 === 0 ? pathSteps(part) : filterOf(part, template)))
    .join('');
}

function pathSteps(text: string): string {
  const step =
    /\[((?:'(?:[^'\\]|\\.)*'|[^[\]'])*)\]|\.((?:[^.[\]\\\s]|\\.)*\\.(?:[^.[\]\\\s]|\\.)*)/g;
  return text.replace(step, (whole, inner?: string, name = '') =>
    inner === undefined ? quoted([name]) : (stepOf(inner.trim()) ?? whole),
  );
}

/** What stands in brackets; undefined where it stays as it is: a union is taken apart later. */
function stepOf(inner: string): string | undefined {
  if (/^'(?:[^'\\]|\\.)*'$/.test(inner)) return stepsOfName(inner);
  const back = /^-(\d+)$/.exec(inner)?.[1];
  if (back === undefined) return undefined;
  return back === '1' ? '[-1:]' : `[-${back}:-${Number(back) - 1}]`;
}

/** `'a.b'` is a path of two names, `'a\.b'` is one name. */
function stepsOfName(text: string): string {
  return quoted(text.slice(1, -1).match(/(?:[^.\\]|\\.)+/g) ?? []);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `['${name.replace(/\\(.)/g, '$1')}']`).join('');
}

/** A comparison, or a path that must be there. What is missing passes no comparison, `!=` included. */
function filterOf(text: string, template: string): string {
  const filter = text.slice(3, -2);
  const [, left = filter, operator, right] = /^([^!<>=]+)([!<>=]+)(.+)$/s.exec(filter) ?? [];
  const operands = [left, right].flatMap((one) => one?.trim() ?? []);
  const isFit = operands.every((one) => operand.test(one)) && !/^(=|!|<>)$/.test(operator ?? '');
  if (!isFit) throw invalidTemplate(template, `filters compare one path with one value: ${filter}`);
  const paths = operands.map((one) => (one.startsWith('.') ? `@${one}` : one));
  const areThere = paths.filter((one) => /^[@$]/.test(one)).map((one) => `${one} !== undefined`);
  const compares = operator === undefined ? [] : [paths.join(` ${operator} `)];
  return `[?(${[...areThere, ...compares].join(' && ')})]`;
}

const operand = /^(?:[@$.][^\s&|!<>=]*|"[^"]*"|'[^']*'|-?\d+(?:\.\d+)?|true|false)$/;

/**
 * The paths that a path with unions stands for, in the order of their values: `[0,2]`, `['a','b']`. Every
 * value of the first comes before those of the second.
 */
function withoutUnions(path: string): string[] {
  const parts = path.split(filters);
  const at = parts.findLastIndex((part, index) => index % 2 === 0 && union.test(part));
  if (at < 0) return [path];
  const [whole, before = '', alternatives = '', after = ''] = union.exec(parts[at] ?? '') ?? [];
  if (whole === undefined) return [path];
  return alternatives.split(',').flatMap((one) => {
    const start = [...parts.slice(0, at), before].join('');
    const end = [after, ...parts.slice(at + 1)].join('');
    return withoutUnions(`${start}${pathSteps(`[${one}]`)}${end}`);
  });
}

const union = /^(.*)\[([^[\]?(,]*,[^[\]]*)\]([^,]*)$/s;

/** `NAME:.object.name,WHEN:.gc.when` */
function parseColumns(text: string): { readonly header: string; readonly path: string }[] {
  return text.split(',').map((column) => {
    const [, header, path] = /^([^:]+):(.+)$/.exec(column.trim()) ?? [];
    if (header === undefined || path === undefined) {
      throw usageError(`expected <header>:<json-path-expr> in custom-columns, found ${column}`, [
        'For example: -o custom-columns=NAME:.object.name,KIND:.object.kind',
      ]);
    }
    return { header, path: relaxed(path) };
  });
}

/** Of kubectl's relaxed paths braces and the first dot may be missing. */
function relaxed(path: string): string {
  const inner = /^\{([\s\S]*)\}$/.exec(path)?.[1] ?? path;
  return pathOf(/^[$@.[]/.test(inner) ? inner : `.${inner}`, path);
}

function invalidTemplate(template: string, why: string) {
  return usageError(`error parsing jsonpath ${template}, ${why}`, [jsonpathExample]);
}

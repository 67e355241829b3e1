import { usageError } from '../../errors.ts';

/** An output format of kubectl that has a template of its own. */
export interface Template {
  readonly kind: 'jsonpath' | 'custom-columns';
  readonly text: string;
}

/** `-o jsonpath=…` and `custom-columns=…`; undefined for all else. */
export function templateOf(output: string): Template | undefined {
  const match = /^(jsonpath|custom-columns|go-template(?:-file)?|template)(?:=([\s\S]*))?$/.exec(
    output,
  );
  if (!match) return undefined;
  const [, kind = '', text = ''] = match;
  if (kind.includes('template')) {
    throw usageError(
      `-o ${kind} is not supported: the language of its templates is that of Go programs`,
      ['Use -o jsonpath=… or -o custom-columns=…, or give -o json to another program.'],
    );
  }
  if (text === '') {
    throw usageError(`template format specified but no template given: -o ${kind}=…`);
  }
  return { kind: kind as Template['kind'], text };
}

/** A part of a template of kubectl's JSONPath. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'path'; readonly path: string }
  | { readonly type: 'range'; readonly path: string; readonly body: readonly Part[] };

/** Takes `{range .items[*]}{.name}{"\\n"}{end}` apart. Mirrors jsonpath.Parse of client-go. */
export function parseJsonPath(template: string): readonly Part[] {
  const stack: { path: string; body: Part[] }[] = [{ path: '', body: [] }];
  for (const { text, isAction } of piecesOf(template)) {
    const top = stack.at(-1);
    const range = /^range\s+([\s\S]+)$/.exec(text)?.[1];
    if (!isAction) top?.body.push({ type: 'text', text });
    else if (range !== undefined) stack.push({ path: pathOf(range, template), body: [] });
    else if (text === 'end') {
      const closed = stack.pop();
      const outer = stack.at(-1);
      if (!closed || !outer) throw invalid(template, 'not in range, nothing to end');
      outer.body.push({ type: 'range', ...closed });
    } else if (/^(["'])[\s\S]*\1$/.test(text))
      top?.body.push({ type: 'text', text: unquoted(text) });
    else if (/^([+-]?\d+(\.\d+)?|true|false)$/.test(text)) top?.body.push({ type: 'text', text });
    else top?.body.push({ type: 'path', path: pathOf(text, template) });
  }
  if (stack.length > 1) throw invalid(template, 'unclosed range');
  return stack[0]?.body ?? [];
}

/** What stands in braces, and what around them. */
function piecesOf(template: string): { readonly text: string; readonly isAction: boolean }[] {
  const pieces: { text: string; isAction: boolean }[] = [];
  const piece = /\{((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^{}"'])*)\}|([^{]+)|\{/gy;
  for (const [whole, action, text] of template.matchAll(piece)) {
    if (text !== undefined) pieces.push({ text, isAction: false });
    else if (action !== undefined) pieces.push({ text: action.trim(), isAction: true });
    else throw invalid(template, `unclosed action at ${whole}`);
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
  if (!/^[$@.[]/.test(text)) throw invalid(template, `unrecognized identifier ${text}`);
  const from = /^[$@]/.test(text) ? text : `@${text}`;
  return from
    .split(filters)
    .map((part, index) => (index % 2 === 0 ? stepsOf(part) : filterOf(part, template)))
    .join('');
}

function stepsOf(text: string): string {
  const step =
    /\[((?:'(?:[^'\\]|\\.)*'|[^\]'])*)\]|\.((?:[^.[\]\\\s]|\\.)*\\.(?:[^.[\]\\\s]|\\.)*)/g;
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
  const [, left = filter, operator, right] = /^([^!<>=]+)([!<>=]+)(.+)$/.exec(filter) ?? [];
  const operands = [left, right].flatMap((one) => one?.trim() ?? []);
  const isFit = operands.every((one) => operand.test(one)) && !/^(=|!|<>)$/.test(operator ?? '');
  if (!isFit) throw invalid(template, `filters compare one path with one value: ${filter}`);
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
export function withoutUnions(path: string): string[] {
  const parts = path.split(filters);
  const at = parts.findLastIndex((part, index) => index % 2 === 0 && union.test(part));
  if (at < 0) return [path];
  const [whole, before = '', alternatives = '', after = ''] = union.exec(parts[at] ?? '') ?? [];
  if (whole === undefined) return [path];
  return alternatives.split(',').flatMap((one) => {
    const start = [...parts.slice(0, at), before].join('');
    const end = [after, ...parts.slice(at + 1)].join('');
    return withoutUnions(`${start}${stepsOf(`[${one}]`)}${end}`);
  });
}

const union = /^(.*)\[([^[\]?(]*,[^[\]]*)\]([^,]*)$/s;

/** `NAME:.object.name,WHEN:.gc.when` */
export function parseColumns(text: string): { readonly header: string; readonly path: string }[] {
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
export function relaxed(path: string): string {
  const inner = /^\{([\s\S]*)\}$/.exec(path)?.[1] ?? path;
  return pathOf(/^[$@.[]/.test(inner) ? inner : `.${inner}`, path);
}

function invalid(template: string, why: string) {
  return usageError(`error parsing jsonpath ${template}, ${why}`);
}

import fc from 'fast-check';

/**
 * What is done to a real example, as data, so that a failure prints as a short list. The numbers are taken modulo what is
 * there, so that every mutation fits every example.
 */
export type Mutation = readonly [what: string, at: number, more: number];

type Change = (bytes: Buffer, at: number, more: number, others: readonly Buffer[]) => Buffer;
type Changes = Readonly<Record<string, Change>>;

/** Words that mean something to one parser or another. */
const tokens = [
  ...'\0,\ufeff,\u001b]52;c;x\u0007,\u202e,\ud800'.split(','),
  ...'{ } [ ] " \' , : \\ \\u0000 *a ~ null true -1 1e999 0x7fffffffffffffff .inf'.split(' '),
  ...'9×400 a×70000 [×3000 {"a":×3000 __proto__ constructor "__proto__":{"polluted":1},'.split(' '),
  ...[': ', '&a ', '? ', '! ', '!!binary ', '!!int ', '# ', '- ', '- ×2000', '{{ .Values.a }}'],
  ...['\t', '\n', '\r', '\n---\n', '\n...\n', '|\n', '>-\n', '%YAML 1.2\n'],
  ...['<<: *a\n', '<<: [{a: 1}, 2]\n', 'a: &a [*a,*a,*a,*a]\n'],
];

/** `[×3‖]×3` is `[[[]]]`: a failure is to be read. */
function spelledOut(text: string): string {
  const parts = text.split('‖').map((part) => {
    const [what = '', times] = part.split('×');
    return times === undefined ? what : what.repeat(Number(times));
  });
  return parts.join('');
}

/** JSON texts that take the place of a value. */
const values = [
  ...'null true false 0 -1 1.5 1e999 -9007199254740993 4294967296'.split(' '),
  ...'[] [[]] [null] [1,"a",{}] {} {"name":{"name":{}}}'.split(' '),
  ...'"" "." ".." "a/b" "a%b" "__proto__" "constructor" "toString"'.split(' '),
  ...['"/__proto__/polluted"', '"/constructor/prototype/polluted"'],
  ...['{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}'],
  '{"toString":1,"hasOwnProperty":2,"length":-1}',
  ...['"\\u0000"', '"\\u001b[2J\\u009b31m\\u202e"', '"\\ud800"', '"\\n::error::x"'],
  ...'"2026-13-45" "2026-13-45T00:00:00Z" "+275761-01-01T00:00:00Z"'.split(' '),
  ...'"0001-01-01T00:00:00Z" "9999-12-31T23:59:59Z" "1e9h" "-5m" "10Xi"'.split(' '),
  ...['"99999999999999999999"', '"https://user:p@PW@host:99999"'],
  ...'"‖x×70000‖" [×600‖]×600 {"a":×20000‖1‖}×20000'.split(' '),
];

const keys = [
  ...'__proto__ constructor toString hasOwnProperty valueOf length then toJSON'.split(' '),
  '',
  ...'name uid kind items metadata apiVersion spec status'.split(' '),
];

function pick<T>(all: readonly T[], number: number): T {
  return all[number % all.length] as T;
}

const joined = (bytes: Buffer, end: number, from: number, put = '') =>
  Buffer.concat([bytes.subarray(0, end), Buffer.from(put), bytes.subarray(from)]);

const ofBytes: Changes = {
  flip: (bytes, at, more) => {
    const copy = Buffer.from(bytes);
    if (at < copy.length) copy[at] = (copy[at] as number) ^ (1 << (more % 8));
    return copy;
  },
  put: (bytes, at, more) => joined(bytes, at, at, spelledOut(pick(tokens, more))),
  cut: (bytes, at) => bytes.subarray(0, at),
  drop: (bytes, at, more) => joined(bytes, at, at + (more % 300)),
  repeat: (bytes, at, more) => joined(bytes, at + (more % 300), at),
  splice: (bytes, at, more, others) => {
    const other = pick(others, more);
    return Buffer.concat([bytes.subarray(0, at), other.subarray((more >> 8) % (other.length + 1))]);
  },
};

const inLines =
  (change: (lines: string[], at: number, more: number) => void): Change =>
  (bytes, at, more) => {
    const lines = `${bytes}`.split('\n');
    change(lines, at % lines.length, more);
    return Buffer.from(lines.join('\n'));
  };

const ofLines: Changes = {
  'drop-line': inLines((lines, at) => lines.splice(at, 1)),
  'repeat-line': inLines((lines, at) => lines.splice(at, 0, lines[at] ?? '')),
  'move-line': inLines((lines, at, to) =>
    lines.splice(to % lines.length, 0, ...lines.splice(at, 1)),
  ),
  indent: inLines((lines, at, more) => {
    const [line = '', by] = [lines[at], (more % 9) - 4];
    lines[at] = by < 0 ? line.slice(-by) : ' '.repeat(by) + line;
  }),
};

const ofEncoding: Changes = {
  bom: (bytes) => Buffer.from(`\ufeff${bytes}`),
  utf16: (bytes) => Buffer.from(`\ufeff${bytes}`, 'utf16le'),
  'utf16-without-bom': (bytes) => Buffer.from(`${bytes}`, 'utf16le'),
  crlf: (bytes) => Buffer.from(`${bytes}`.replaceAll('\n', '\r\n')),
  nul: (bytes) => Buffer.concat([bytes, Buffer.of(0)]),
  latin1: (bytes) => Buffer.from(`${bytes}# \u00e9\n`, 'latin1'),
};

const ofFields = 'value value rename twin drop-field drop-field'.split(' ');

/** How an example is written; of fields only what is JSON can be changed. */
export type Syntax = 'json' | 'text' | 'bytes';

const place = fc.nat({ max: 0xff_ffff });
const anyOf = (changes: readonly string[], weight: number) => ({
  arbitrary: fc.tuple(fc.constantFrom(...changes), place, place),
  weight,
});
const kinds = {
  bytes: [anyOf(Object.keys(ofBytes), 1)],
  text: [
    anyOf(Object.keys(ofBytes), 1),
    anyOf(Object.keys(ofLines), 2),
    anyOf(Object.keys(ofEncoding), 1),
  ],
  json: [anyOf(ofFields, 8), anyOf(Object.keys(ofBytes), 2), anyOf(Object.keys(ofEncoding), 1)],
};

/** One to four mutations of an example of this syntax. */
export function anyMutations(syntax: Syntax): fc.Arbitrary<readonly Mutation[]> {
  const one = fc.oneof(...kinds[syntax]);
  return fc.oneof(
    { arbitrary: one.map((only) => [only]), weight: 2 },
    { arbitrary: fc.array(one, { minLength: 2, maxLength: 4 }), weight: 1 },
  );
}

/** The example with the mutations, those of fields first: they need it to be JSON. */
export function mutated(
  example: Buffer,
  mutations: readonly Mutation[],
  others: readonly Buffer[],
): Buffer {
  const changes = { ...ofBytes, ...ofLines, ...ofEncoding };
  const [fields = [], rest = []] = [true, false].map((is) =>
    mutations.filter(([what]) => ofFields.includes(what) === is),
  );
  return rest.reduce(
    (bytes, [what, at, more]) =>
      changes[what]?.(bytes, at % (bytes.length + 1), more, others) ?? bytes,
    inFields(example, fields),
  );
}

type Container = Record<string, unknown> | unknown[];

/** Stands for a text that JSON.stringify would not write: it is put in its place afterwards. */
const marker = (number: number) => `~${number}~`;

function inFields(bytes: Buffer, mutations: readonly Mutation[]): Buffer {
  if (mutations.length === 0) return bytes;
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    return bytes;
  }
  const later = mutations.map((mutation, number) => inField(value, mutation, marker(number)));
  return Buffer.from(later.reduce((text, put) => put(text), JSON.stringify(value)));
}

/** Changes a field, and gives what is to be done with the text. */
function inField(
  value: unknown,
  [what, at, more]: Mutation,
  mark: string,
): (text: string) => string {
  const same = (text: string) => text;
  const fields = fieldsIn(value);
  if (fields.length === 0) return same;
  const { parent, key } = pick(fields, at);
  const put = (text: string, by: string) => (whole: string) => whole.replace(text, () => by);
  if (what === 'value') {
    const property = { value: mark, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(parent, key, property);
    return put(`"${mark}"`, spelledOut(pick(values, more)));
  }
  if (Array.isArray(parent)) {
    if (what === 'drop-field') parent.splice(Number(key), 1);
    else parent.push(structuredClone(parent[Number(key)]));
    return same;
  }
  const own = parent[key];
  if (what !== 'twin') delete parent[key];
  if (what === 'drop-field') return same;
  parent[mark] = own;
  // JSON.stringify writes no key twice.
  return put(`"${mark}":`, `${JSON.stringify(what === 'rename' ? pick(keys, more) : key)}:`);
}

function fieldsIn(value: unknown): { readonly parent: Container; readonly key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const parent = value as Container;
  return Object.entries(parent).flatMap(([key, child]) => [{ parent, key }, ...fieldsIn(child)]);
}

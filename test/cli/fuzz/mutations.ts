import fc from 'fast-check';

/**
 * What is done to a real example. A mutation is data, so that a failure prints as a short list, and places are
 * numbers that are taken modulo what is there, so that every mutation fits every example.
 */
export type Mutation =
  | { readonly do: 'flip'; readonly at: number; readonly bit: number }
  | { readonly do: 'put'; readonly at: number; readonly text: string }
  | { readonly do: 'cut'; readonly at: number }
  | { readonly do: 'drop' | 'repeat'; readonly at: number; readonly length: number }
  | { readonly do: 'splice'; readonly at: number; readonly other: number; readonly from: number }
  | { readonly do: 'drop-line' | 'repeat-line'; readonly at: number }
  | { readonly do: 'move-line'; readonly at: number; readonly to: number }
  | { readonly do: 'indent'; readonly at: number; readonly by: number }
  | { readonly do: 'value'; readonly at: number; readonly value: string }
  | { readonly do: 'rename' | 'twin'; readonly at: number; readonly key: string }
  | { readonly do: 'drop-field'; readonly at: number }
  | { readonly do: 'encode'; readonly as: Encoding };

type Encoding = 'bom' | 'utf16' | 'utf16-without-bom' | 'crlf' | 'nul' | 'latin1';

const place = fc.nat({ max: 0xff_ffff });

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

const ofBytes: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ do: fc.constant('flip' as const), at: place, bit: fc.nat({ max: 7 }) }),
  fc.record({ do: fc.constant('put' as const), at: place, text: fc.constantFrom(...tokens) }),
  fc.record({ do: fc.constant('cut' as const), at: place }),
  fc.record({
    do: fc.constantFrom('drop' as const, 'repeat' as const),
    at: place,
    length: fc.nat({ max: 300 }),
  }),
  fc.record({ do: fc.constant('splice' as const), at: place, other: place, from: place }),
);

const ofLines: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ do: fc.constantFrom('drop-line' as const, 'repeat-line' as const), at: place }),
  fc.record({ do: fc.constant('move-line' as const), at: place, to: place }),
  fc.record({ do: fc.constant('indent' as const), at: place, by: fc.integer({ min: -4, max: 4 }) }),
);

const ofFields: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ do: fc.constant('value' as const), at: place, value: fc.constantFrom(...values) }),
  fc.record({
    do: fc.constantFrom('rename' as const, 'twin' as const),
    at: place,
    key: fc.constantFrom(...keys),
  }),
  fc.record({ do: fc.constant('drop-field' as const), at: place }),
);

const ofEncoding: fc.Arbitrary<Mutation> = fc.record({
  do: fc.constant('encode' as const),
  as: fc.constantFrom<Encoding[]>('bom', 'utf16', 'utf16-without-bom', 'crlf', 'nul', 'latin1'),
});

/** How an example is written; of fields only what is JSON can be changed. */
export type Syntax = 'json' | 'text' | 'bytes';

/** One to four mutations of an example of this syntax. */
export function anyMutations(syntax: Syntax): fc.Arbitrary<readonly Mutation[]> {
  const one =
    syntax === 'bytes'
      ? ofBytes
      : syntax === 'text'
        ? fc.oneof(ofBytes, { arbitrary: ofLines, weight: 2 }, { arbitrary: ofEncoding, weight: 1 })
        : fc.oneof(
            { arbitrary: ofFields, weight: 8 },
            { arbitrary: ofBytes, weight: 2 },
            { arbitrary: ofEncoding, weight: 1 },
          );
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
  const isOfFields = ({ do: what }: Mutation) =>
    what === 'value' || what === 'rename' || what === 'twin' || what === 'drop-field';
  let bytes = inFields(example, mutations.filter(isOfFields));
  for (const mutation of mutations.filter((one) => !isOfFields(one))) {
    bytes = inBytes(bytes, mutation, others);
  }
  return bytes;
}

function inBytes(bytes: Buffer, mutation: Mutation, others: readonly Buffer[]): Buffer {
  const at = 'at' in mutation ? mutation.at % (bytes.length + 1) : 0;
  switch (mutation.do) {
    case 'flip': {
      const copy = Buffer.from(bytes);
      if (at < copy.length) copy[at] = (copy[at] as number) ^ (1 << mutation.bit);
      return copy;
    }
    case 'put':
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(spelledOut(mutation.text)),
        bytes.subarray(at),
      ]);
    case 'cut':
      return bytes.subarray(0, at);
    case 'drop':
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + mutation.length)]);
    case 'repeat':
      return Buffer.concat([bytes.subarray(0, at + mutation.length), bytes.subarray(at)]);
    case 'splice': {
      const other = others[mutation.other % others.length] ?? bytes;
      return Buffer.concat([
        bytes.subarray(0, at),
        other.subarray(mutation.from % (other.length + 1)),
      ]);
    }
    case 'encode':
      return encoded(bytes, mutation.as);
    default:
      return inLines(bytes, mutation);
  }
}

function encoded(bytes: Buffer, as: Encoding): Buffer {
  const text = bytes.toString();
  switch (as) {
    case 'bom':
      return Buffer.from(`\ufeff${text}`);
    case 'utf16':
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 'utf16-without-bom':
      return Buffer.from(text, 'utf16le');
    case 'crlf':
      return Buffer.from(text.replaceAll('\n', '\r\n'));
    case 'nul':
      return Buffer.concat([bytes, Buffer.from([0])]);
    default:
      return Buffer.from(`${text}# \u00e9\n`, 'latin1');
  }
}

function inLines(bytes: Buffer, mutation: Mutation): Buffer {
  const lines = bytes.toString().split('\n');
  const at = 'at' in mutation ? mutation.at % lines.length : 0;
  const line = lines[at] ?? '';
  if (mutation.do === 'drop-line') lines.splice(at, 1);
  else if (mutation.do === 'repeat-line') lines.splice(at, 0, line);
  else if (mutation.do === 'move-line') {
    lines.splice(at, 1);
    lines.splice(mutation.to % (lines.length + 1), 0, line);
  } else if (mutation.do === 'indent') {
    lines[at] = mutation.by < 0 ? line.slice(-mutation.by) : ' '.repeat(mutation.by) + line;
  }
  return Buffer.from(lines.join('\n'));
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
function inField(value: unknown, mutation: Mutation, mark: string): (text: string) => string {
  const same = (text: string) => text;
  const fields = fieldsIn(value);
  const found = fields[('at' in mutation ? mutation.at : 0) % Math.max(1, fields.length)];
  if (!found) return same;
  const { parent, key } = found;
  const put = (what: string, by: string) => (text: string) => text.replace(what, () => by);
  if (mutation.do === 'value') {
    Object.defineProperty(parent, key, {
      value: mark,
      enumerable: true,
      configurable: true,
      writable: true,
    });
    return put(`"${mark}"`, spelledOut(mutation.value));
  }
  if (Array.isArray(parent)) {
    if (mutation.do === 'drop-field') parent.splice(Number(key), 1);
    else parent.push(structuredClone(parent[Number(key)]));
    return same;
  }
  const own = parent[key];
  if (mutation.do !== 'twin') delete parent[key];
  if (mutation.do === 'drop-field') return same;
  parent[mark] = own;
  // JSON.stringify writes no key twice.
  return put(`"${mark}":`, `${JSON.stringify(mutation.do === 'rename' ? mutation.key : key)}:`);
}

function fieldsIn(value: unknown): { readonly parent: Container; readonly key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const parent = value as Container;
  return Object.entries(parent).flatMap(([key, child]) => [{ parent, key }, ...fieldsIn(child)]);
}

import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { event, eventOf, lines, namesIn, readText } from './audit-events.ts';

const [a, b, c] = ['a', 'b', 'c'].map((name, at) => lines(eventOf(name, at + 1))) as [
  string,
  string,
  string,
];
const indented = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const list = { kind: 'EventList', items: [eventOf('b', 2), eventOf('x', 2)] };
const csv = (text: string) => `@timestamp,@message\n2026,"${text.trim().replaceAll('"', '""')}"\n`;

/** Each lies between two events, or behind one; and on which lines the problems are. */
const damages: readonly (readonly [string, string, readonly number[]])[] = [
  ['text', `hello\n${b}`, [2]],
  ['many lines of text, reported once', `hello\nworld\n"x"\n7\nnull\n${b}`, [2]],
  ['an empty line', `\n \r\n\n${b}`, []],
  ['an invalid byte', `\u0000\ufffd\n${b}`, [2]],
  ['JSON that is no event', `{"kind":"Pod"}\n${b}`, [2]],
  ['an array without events', `[1,"x",null,{}]\n${b}`, [2, 2, 2, 2]],
  ['truncated in a string', `${a.slice(0, 40)}\n${b}`, [2]],
  ['truncated behind a colon', `{"kind":\n${b}`, [2]],
  ['truncated behind a bracket', `{"kind":"EventList","items":[\n${b}`, [2]],
  ['truncated behind a comma', `{"kind":"Event",\n${b}`, [2]],
  ['truncated before an event', a.slice(0, 300) + b, [2]],
  [
    'an unneeded event, truncated before another',
    lines(eventOf('x', 1, { verb: 'get' })).slice(0, 350) + b,
    [2],
  ],
  ['JSON of another program', `${lines({ timestamp: 1, message: '{"level":"info"}' })}${b}`, []],
  ['two events per line', b.trim() + b, []],
  ['something behind an event', `${b.trim()} junk\n`, [2]],
  ['an extra bracket', `${b.trim()}}\n`, [2]],
  ['a truncated document', `${indented(list).slice(0, -20)}\n${b}`, [39]],
  [
    'a missing time',
    `${lines(event({ stageTimestamp: '', requestReceivedTimestamp: 7 }))}${b}`,
    [2],
  ],
  [
    'an invalid time',
    `${lines(event({ stageTimestamp: '2026-11-31T99:00:00Z', requestReceivedTimestamp: 'now' }))}${b}`,
    [2],
  ],
  ['a truncated message', `${lines({ timestamp: 1, message: a.slice(0, 100) })}${b}`, [2]],
  ["another program's message", `${lines({ timestamp: 1, message: 'I1128' })}${b}`, []],
  [
    'keys of prototypes',
    `{"__proto__":{"auditID":"x","stage":"y"},"constructor":{"name":1}}\n${b}`,
    [2],
  ],
];

describe('what is broken', () => {
  test.each(damages)('loses no event beside it: %s', async (_, content, expected) => {
    for (const chunkBytes of [1 << 20, 5]) {
      const log = await readText(a + content + c, { chunkBytes });
      expect(namesIn(log).filter((name) => name !== 'delete x')).toEqual([
        'delete a',
        'delete b',
        'delete c',
      ]);
      const places = log.problems.map((problem) => /^<stdin>:(\d+): /.exec(problem)?.[1]);
      expect(places).toEqual(expected.map(String));
    }
  });

  test.each([
    ['a truncated last line', a + b.slice(0, -20), ['2']],
    ['a line without its end', `${a}{"kind":"Event",`, ['2']],
    ['a truncated last document', `${a}${indented(eventOf('b', 2)).slice(0, 99)}`, ['2']],
    ['no final line break', a + b.trim(), []],
    ['a record of a CSV that is cut off', `${csv(a)}2026,"{""kind"":`, ['3']],
  ])('is reported at the end: %s', async (_, content, expected) => {
    const { requests, problems } = await readText(content);
    expect(requests[0]?.name).toBe('a');
    expect(problems.map((problem) => problem.split(':')[1])).toEqual(expected);
  });

  test.each([
    ['gzip', gzipSync, 1],
    ['zstd', zstdCompressSync, 1],
  ])('is reported for truncated %s, with everything before read', async (_, pack, least) => {
    const many = Array.from({ length: 4000 }, (_, at) => eventOf(`web-${Math.sin(at)}`, at % 60));
    const packed = pack(lines(...many));
    const log = await readText(packed.subarray(0, packed.length / 2));
    expect(log.requests.length).toBeGreaterThan(least);
    expect(log.problems.at(-1)).toMatch(/^<stdin>: the compressed data /);
  });

  test('is named 20 times and counted behind that', async () => {
    const log = await readText(`{"a":1}\n`.repeat(50) + a);
    expect(log.problems.length).toBe(21);
    expect(log.problems.at(-1)).toBe('and 30 more');
    expect(log.requests.length).toBe(1);
  });

  test('is reported of a log without events, and the log of nothing has no times', async () => {
    const log = await readText('');
    expect(log).toEqual({
      requests: [],
      gaps: [],
      from: undefined,
      to: undefined,
      events: 0,
      problems: ['<stdin>: no audit events'],
    });
  });

  test('is not quoted', async () => {
    const log = await readText(
      `hunter2\n{"password":"hunter2"}\n{"a":hunter2}\n{"message":"{hunter2"}\n`,
    );
    expect(log.problems.length).toBeGreaterThan(3);
    expect(log.problems.join()).not.toContain('hunter2');
  });
});

describe('of a hostile log', () => {
  const repeat = (text: string, bytes = 1 << 17) => text.repeat(bytes / text.length);

  test.each([
    ['open braces', repeat('{')],
    ['open brackets', repeat('[')],
    ['lines that open', repeat('{"a":[\n')],
    ['lists in lists', `${'{"items":['.repeat(4000)}${']}'.repeat(4000)}\n`],
    ['messages in messages', `${'{"message":'.repeat(4000)}1${'}'.repeat(4000)}\n`],
    ['tables in tables', `${'{"tables":[{"rows":['.repeat(3000)}${']}]}'.repeat(3000)}\n`],
    ['one endless line', repeat('x', 1 << 22)],
    ['one endless prefix', repeat('x ')],
    ['endless empty objects', repeat('{}')],
    ['quotes of a CSV', `@message,a\n${repeat('"')}`],
  ])('events after %s are read', async (_, text) => {
    const log = await readText(`${text}\n${a}`);
    expect(log.problems.length).toBeGreaterThan(0);
    expect(log.requests.length).toBe(text.startsWith('@') ? 0 : 1);
  });

  test('lines of 16 MiB are read, also deep ones', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const long = lines(
      eventOf('b', 2, { userAgent: 'ä'.repeat(8 << 20), requestObject: JSON.parse(deep) }),
    );
    const log = await readText(a + long + c, { chunkBytes: 1 << 20 });
    expect(namesIn(log)).toEqual(['delete a', 'delete b', 'delete c']);
    expect(log.problems).toEqual([]);
  });

  test('fields of other types than the API has are taken for missing', async () => {
    const odd = {
      user: [],
      sourceIPs: { a: 1 },
      userAgent: 7,
      responseStatus: { code: '200' },
      requestURI: null,
      requestObject: 5,
      responseObject: [[]],
      annotations: 'x',
      impersonatedUser: 'y',
    };
    const [request] = (await readText(lines(event(odd)))).requests;
    expect(request).toMatchObject({
      user: '',
      userAgent: '',
      sourceIps: [],
      status: 0,
      body: undefined,
    });
    const references = [null, 'pods', [], { resource: 7 }, { resource: { a: 1 } }];
    expect(
      (await readText(lines(...references.map((objectRef) => event({ objectRef }))))).requests,
    ).toEqual([]);
  });
});

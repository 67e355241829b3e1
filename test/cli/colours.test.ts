import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';
import { gcHere } from '../support/run-here.ts';

const line =
  'owners pod/web-6c4f9d-abcde -n shop -o tree --from test/fixtures/clusters/orphaned-replicaset.yaml';
const plain = `Pod/web-6c4f9d-abcde -n shop
└─ ReplicaSet/web-6c4f9d  blocks
   └─ Deployment/web  dangling · blocks · not seen
`;
/** Bold names, dim lines, an owner that is gone struck through and its class in red. */
const coloured = [
  'Pod/\u001b[1mweb-6c4f9d-abcde\u001b[22m\u001b[2m -n shop\u001b[22m',
  '\u001b[2m└─ \u001b[22mReplicaSet/\u001b[1mweb-6c4f9d\u001b[22m  \u001b[2mblocks\u001b[22m',
  '\u001b[2m   └─ \u001b[22mDeployment/\u001b[9mweb\u001b[29m  \u001b[31mdangling\u001b[39m\u001b[2m · \u001b[22m\u001b[2mblocks\u001b[22m\u001b[2m · \u001b[22m\u001b[33mnot seen\u001b[39m',
  '',
].join('\n');

const printed = (stdout: string) => ({ code: 0, stdout, stderr: '' });

/** Variables, flags, and how wide the terminal is, if it is one. */
const on: readonly [string, Record<string, string>, string, number?][] = [
  ['FORCE_COLOR=1', { FORCE_COLOR: '1' }, ''],
  ['FORCE_COLOR, empty', { FORCE_COLOR: '' }, ''],
  ['FORCE_COLOR=true with TERM=dumb', { FORCE_COLOR: 'true', TERM: 'dumb' }, ''],
  ['an empty NO_COLOR', { FORCE_COLOR: '1', NO_COLOR: '' }, ''],
  ['--no-color=false', { FORCE_COLOR: '1' }, ' --no-color=false'],
  ['a terminal', {}, '', 200],
  ['--color auto (terminal)', {}, ' --color auto', 200],
  ['--color always, even with NO_COLOR', { NO_COLOR: '1' }, ' --color always'],
];

const off: typeof on = [
  ['a pipe', {}, ''],
  ['TERM=dumb', { TERM: 'dumb' }, ''],
  ['a terminal with TERM=dumb', { TERM: 'dumb' }, '', 200],
  ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, ''],
  ['FORCE_COLOR=false', { FORCE_COLOR: 'false' }, ''],
  ['NO_COLOR=1, even if forced', { NO_COLOR: '1', FORCE_COLOR: '1' }, ''],
  ['NO_COLOR=0, which is not empty', { NO_COLOR: '0', FORCE_COLOR: '1' }, ''],
  ['--no-color, even if forced', { FORCE_COLOR: '3' }, ' --no-color'],
  ['--color auto and NO_COLOR', { NO_COLOR: '1' }, ' --color auto', 200],
  ['--color never', {}, ' --color never', 200],
  ['--no-color behind --color always', {}, ' --color always --no-color', 200],
  ['--color auto (pipe)', {}, ' --color auto'],
];

describe('colours', () => {
  test.each(on)('on with %s', async (_, env, flags, columns) => {
    expect(await gcHere(line + flags, env, columns)).toEqual(printed(coloured));
  });

  test.each(off)('off with %s', async (_, env, flags, columns) => {
    expect(await gcHere(line + flags, env, columns)).toEqual(printed(plain));
  });

  test('change no character of any text format, nor the place of a column', async () => {
    for (const format of ['table', 'wide', 'name', 'tree', 'dot', 'mermaid', 'json', 'yaml']) {
      const question = `${line} -o ${format} --now 2026-01-31T12:00:00Z`;
      const { stdout } = await gcHere(question, { FORCE_COLOR: '1' });
      expect(stripVTControlCharacters(stdout)).toBe((await gcHere(question)).stdout);
      const painted = ['table', 'wide', 'tree'].includes(format);
      expect([format, stdout.includes('\u001b')]).toEqual([format, painted]);
    }
  });

  test('of errors are left to the reader', async () => {
    const { stderr } = await gc('frobnicate', { env: { FORCE_COLOR: '1' } });
    expect(stripVTControlCharacters(stderr)).toBe(stderr);
  });
});

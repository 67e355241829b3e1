import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { onTerminal } from '../live/on-terminal.ts';
import { gcHere } from '../support/run-here.ts';
import { screens } from '../support/screens.ts';

const line =
  'orphans -A --from test/fixtures/clusters/orphaned-replicaset.yaml --now 2026-01-31T12:00:00Z';
const plain = { NO_COLOR: '1' };

async function table(columns?: number, env: Record<string, string> = plain): Promise<string[]> {
  return (await gcHere(line, env, columns)).stdout.trimEnd().split('\n');
}

test('on a narrow terminal, cells wrap and a reason is below its row', async () => {
  expect(await table(50)).toMatchInlineSnapshot(`
    [
      "NAMESPACE  OBJECT        OWNERS  RESULT        AGE",
      "shop       ReplicaSet/web-6c4f9d",
      "                         gone    will be       11d",
      "                                 deleted",
      "             no Deployment web in namespace shop",
    ]
  `);
});

test('COLUMNS counts for a terminal and for a pipe; without it a pipe has no limit', async () => {
  const at80 = await table(80);
  expect(await table(120, { ...plain, COLUMNS: '80' })).toEqual(at80);
  expect(await table(undefined, { ...plain, COLUMNS: '80' })).toEqual(at80);
  for (const nonsense of ['', '0', '-80', 'wide']) {
    expect(await table(undefined, { ...plain, COLUMNS: nonsense })).toEqual(await table());
  }
});

test('output that is no plain table is never truncated', async () => {
  for (const format of ['wide', 'json', 'yaml', 'name']) {
    const question = `${line} -o ${format}`;
    expect((await gcHere(question, plain, 40)).stdout).toBe((await gcHere(question, plain)).stdout);
  }
});

describe('signs outside of ASCII', () => {
  const tree = 'tree deployment/web -n shop -o tree --from examples/clusters/shop.json.gz';
  test.each([
    [{}, false],
    [{ LANG: 'de_DE.UTF-8' }, false],
    [{ LC_ALL: 'C.utf8', LANG: 'C' }, false],
    [{ LANG: 'C' }, true],
    [{ LC_CTYPE: 'POSIX', LANG: 'en_US.UTF-8' }, true],
    [{ LC_ALL: 'en_US.ISO-8859-1', LC_CTYPE: 'C.UTF-8' }, true],
  ])(
    'are spelled in ASCII unless UTF-8 is said by LC_ALL, LC_CTYPE, LANG or nothing: %j',
    async (env, isAscii) => {
      const { stdout } = await gcHere(tree, { ...plain, ...env }, 80);
      expect(!/[^\n -~]/.test(stdout)).toBe(isAscii);
    },
  );

  test('are in every pipe: its bytes do not depend on the locale', async () => {
    const piped = (await gcHere(tree, plain)).stdout;
    expect(piped).toContain('└─');
    expect((await gcHere(tree, { ...plain, LC_ALL: 'C' })).stdout).toBe(piped);
  });
});

describe.each(Object.entries(screens))('the first screen of %s', (name, command) => {
  test.each([80, 120])('fits %d columns, whole', async (columns) => {
    const { stdout, stderr } = await gcHere(command, { ...plain, COLUMNS: `${columns}` }, columns);
    const shown = `${stdout}${stderr.replaceAll(/^(?=.)/gm, '# ')}`;
    await expect(shown).toMatchFileSnapshot(`../fixtures/screens/${name}-${columns}.txt`);
    const lines = [...prose(stdout), ...prose(stderr)];
    expect(lines.filter((one) => [...one].length > columns)).toEqual([]);
  });

  test('fits 40 columns, and nothing is squeezed into the last of them', async () => {
    const { code, stdout } = await gcHere(command, { ...plain, COLUMNS: '40' }, 40);
    expect(code).toBe(0);
    const lines = prose(stdout);
    expect(lines.filter((one) => [...one].length > 40)).toEqual([]);
    expect(lines.filter((one) => /^ {36,}\S/.test(one))).toEqual([]);
  });

  test('has the same words with colours, and in ASCII the same lines but for its signs', async () => {
    const { stdout } = await gcHere(command, plain, 80);
    const coloured = (await gcHere(`${command} --color always`, {}, 80)).stdout;
    expect(stripVTControlCharacters(coloured)).toBe(stdout);
    const ascii = (await gcHere(command, { ...plain, LC_ALL: 'C' }, 80)).stdout;
    expect(ascii).toMatch(/^[\n -~]*$/);
    expect(prose(ascii).filter((one) => one.length > 80)).toEqual([]);
  });
});

/** Commands to paste are never broken. */
function prose(text: string): string[] {
  return text
    .split('\n')
    .filter((one) => !/^(?:(?:Fix|What to do|Explain|Delete): |[ │|]*(?:\$ )?)kubectl /.test(one));
}

describe('on a pseudo-terminal', () => {
  const { why: chain, 'why-all': question = '' } = screens;
  test.each([80, 120])('%d columns are kept to', async (columns) => {
    const env = { TERM: 'xterm', LANG: 'C.UTF-8' };
    const { code, shown } = await onTerminal(question, { env, columns });
    expect(code).toBe(0);
    expect(shown).toContain('\u001b[31mstuck\u001b[39m');
    const lines = stripVTControlCharacters(shown).replaceAll('\r', '').split('\n');
    expect(prose(lines.join('\n')).filter((one) => [...one].length > columns)).toEqual([]);
    const piped = await gcHere(question, { ...plain, COLUMNS: `${columns}` });
    expect(lines.join('\n')).toContain(piped.stdout);
  });

  test('a terminal of the C locale without colours gets ASCII alone', async () => {
    const env = { TERM: 'xterm', LANG: 'C', NO_COLOR: '1' };
    const { shown } = await onTerminal(chain ?? '', { env, columns: 80 });
    expect(shown).toMatch(/^[\r\n -~]*$/);
    expect(shown).toContain('`- ... namespace still contains 1 Pod');
  });
});

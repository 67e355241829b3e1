import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { describe, expect, test } from 'vitest';
import type { RenderOptions } from '../../../src/output/style.ts';
import { styleOf } from '../../../src/output/style.ts';
import { type Cell, renderTable } from '../../../src/output/tables/table.ts';

const plain: RenderOptions = { colour: false, width: undefined, now: 0 };

function rowsOf(...lines: string[][]): Cell[][] {
  return lines;
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

/** The same table by cli-table3 in one go, with widths that it finds itself. */
function inOneGo(headers: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const edges = 'top bottom left right mid middle'.split(' ');
  const chars = ['', '-mid', '-left', '-right'].flatMap((end) =>
    edges.map((edge) => [`${edge}${end}`, '']),
  );
  const table = new Table({
    chars: Object.fromEntries(chars),
    style: { 'padding-left': 0, 'padding-right': 3, head: [], border: [], compact: true },
  });
  table.push([...headers], ...rows.map((row) => row.map((cell) => textOf(cell))));
  const lines = table.toString().split('\n');
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

test('columns are three apart, and no line ends in blanks', () => {
  const rows = rowsOf(['shop', 'web-1', ''], ['', 'node-a', 'ready']);
  expect(renderTable(['NAMESPACE', 'NAME', 'STATUS'], rows, plain)).toBe(
    ['NAMESPACE   NAME     STATUS', 'shop        web-1', '            node-a   ready', ''].join(
      '\n',
    ),
  );
});

test('without rows there is nothing', () => {
  expect(renderTable(['NAMESPACE', 'NAME'], [], plain)).toBe('');
});

describe('a table that is put together in pieces is that of one go', () => {
  const words = ['', 'web', 'a-rather-long-name-for-a-pod-7d9f8c', '│  └─ Pod/x', 'größe', 'x'];
  const word = (i: number) => words[(i * 7) % words.length] ?? '';
  test.each([1, 99, 100, 101, 250])('%d rows', (count) => {
    const rows = rowsOf(
      ...Array.from({ length: count }, (_, i) => [word(i), word(i + 1), `${i}`, word(i * 3)]),
    );
    const headers = ['NAMESPACE', 'NAME', 'N', 'BECAUSE'];
    expect(renderTable(headers, rows, plain)).toBe(inOneGo(headers, rows));
  });

  test('the widest cell may be in the last piece', () => {
    const rows = rowsOf(
      ...Array.from({ length: 150 }, (_, i) => [i === 149 ? 'wide-name' : 'n', 'x']),
    );
    const lines = renderTable(['N', 'X'], rows, plain).split('\n');
    expect([lines[0], lines[1], lines[150]]).toEqual([
      'N           X',
      'n           x',
      'wide-name   x',
    ]);
  });
});

describe('a narrow terminal cuts the last column', () => {
  const table = (text: string, width: number) =>
    renderTable(['NAME', 'BECAUSE'], rowsOf(['web-1', text]), { ...plain, width }).split('\n')[1];

  test('with an ellipsis', () => {
    const reason = 'there is no ReplicaSet web in namespace shop';
    expect([table(reason, 80), table(reason, 52), table(reason, 51), table(reason, 30)]).toEqual([
      `web-1   ${reason}`,
      `web-1   ${reason}`,
      'web-1   there is no ReplicaSet web in namespace sh…',
      'web-1   there is no ReplicaSe…',
    ]);
  });

  test('but leaves twenty columns', () => {
    expect(table('there is no ReplicaSet web', 5)).toBe('web-1   there is no Replica…');
  });

  test('between characters, however wide', () => {
    expect(table('日本語'.repeat(10), 30)).toBe('web-1   日本語日本語日本語日…');
    expect(table('🚢'.repeat(20), 30)).toBe(`web-1   ${'🚢'.repeat(10)}…`);
  });
});

test('wide characters take their room', () => {
  const rows = rowsOf(['日本', 'x'], ['web-1', 'x']);
  expect(renderTable(['NAME', 'X'], rows, plain)).toBe('NAME    X\n日本    x\nweb-1   x\n');
});

test('colours take none', () => {
  const style = styleOf({ ...plain, colour: true });
  const rows: Cell[][] = [
    [
      { text: 'web-1', paint: style.red },
      { text: 'gone', paint: style.yellow },
    ],
    [
      { text: 'w', paint: style.red },
      { text: '', paint: style.yellow },
    ],
  ];
  const coloured = renderTable(['NAME', 'OWNERS'], rows, { ...plain, colour: true });
  const bare = renderTable(
    ['NAME', 'OWNERS'],
    rows.map((row) => row.map(textOf)),
    plain,
  );
  expect(coloured).toContain('\u001b[31mweb-1\u001b[39m');
  expect(stripVTControlCharacters(coloured)).toBe(bare);
});

test('a cell is one line, and cannot steer the terminal', () => {
  const rows = rowsOf(['evil\u001b[2J', 'two\nlines\tand a tab']);
  expect(renderTable(['NAME', 'BECAUSE'], rows, plain)).toBe(
    'NAME        BECAUSE\nevil^[[2J   two^Jlines^Iand a tab\n',
  );
});

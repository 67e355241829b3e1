import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { describe, expect, test, vi } from 'vitest';
import type { RenderOptions } from '../../../src/output/style.ts';
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

test('a table without rows is empty', () => {
  expect(renderTable(['NAMESPACE', 'NAME'], [], plain)).toBe('');
});

describe('a table that is put together in pieces is that of one go', () => {
  const words = ['', 'web', 'a-rather-long-name-for-a-pod-7d9f8c', '│  └─ Pod/x', 'größe', 'x'];
  const word = (i: number) => words[(i * 7) % words.length] ?? '';
  test.each([1, 99, 199, 200, 250])('%d rows', (count) => {
    const rows = rowsOf(
      ...Array.from({ length: count }, (_, i) => [word(i), word(i + 1), `${i}`, word(i * 3)]),
    );
    const headers = ['NAMESPACE', 'NAME', 'N', 'REASON'];
    expect(renderTable(headers, rows, plain)).toBe(inOneGo(headers, rows));
  });
});

describe('a terminal', () => {
  const reason = 'there is no ReplicaSet web in namespace shop';
  const lines = (width: number, ...cells: string[]) =>
    renderTable(['NAME', 'RESULT', 'REASON'], rowsOf(cells), { ...plain, width })
      .trimEnd()
      .split('\n')
      .slice(1);

  test('has the reason beside its row where there is room, columns two apart', () => {
    const whole = `web-1  will be deleted  ${reason}`;
    expect(lines(whole.length, 'web-1', 'will be deleted', reason)).toEqual([whole]);
    expect(lines(whole.length - 1, 'web-1', 'will be deleted', reason)).toEqual([
      'web-1  will be deleted',
      `         ${reason}`,
    ]);
  });

  test('has a long reason on several lines, all as far in', () => {
    expect(lines(40, 'web-1', 'will be deleted', reason)).toEqual([
      'web-1  will be deleted',
      '         there is no ReplicaSet web in',
      '         namespace shop',
    ]);
  });

  test('has no line for a reason that is empty, nor a column that is', () => {
    expect(lines(40, 'a'.repeat(38), '', '')).toEqual(['a'.repeat(38)]);
  });

  test('wraps sentences before names, and short columns last', () => {
    const name = 'a-name-of-some-length-7d9f8c';
    expect(lines(50, name, 'never deleted; blocks foreground deletion', '')).toEqual([
      `${name}  never deleted;`,
      `${' '.repeat(30)}blocks foreground`,
      `${' '.repeat(30)}deletion`,
    ]);
    expect(lines(40, name, 'will be deleted', '')).toEqual([
      'a-name-of-some-length-7d9f8c',
      `${' '.repeat(25)}will be deleted`,
    ]);
  });

  test('loses nothing, however narrow: below 40 columns it is taken for 40 wide', () => {
    expect(lines(5, 'web-1', 'will be deleted', reason)).toEqual(
      lines(40, 'web-1', 'will be deleted', reason),
    );
  });

  test('keeps the branches of a tree beside a name that is wrapped', () => {
    const cell = { text: '├─ ReplicaSet/a-rather-long-name-for-a-set-7d9f8c', hang: '│    ' };
    expect(renderTable(['NAME', 'AGE'], [[cell, '4m']], { ...plain, width: 40 })).toBe(
      [
        'NAME                                 AGE',
        '├─ ReplicaSet/a-rather-long-name-    4m',
        '│    for-a-set-7d9f8c',
        '',
      ].join('\n'),
    );
  });

  test('of many rows is drawn a line at a time, as cli-table3 takes time quadratic in its rows', () => {
    // A wide sign has to be measured, which cli-table3 does.
    const rows = Array.from({ length: 300 }, () => ['shop', 'Pod/日本', 'will be deleted', reason]);
    const draw = vi.spyOn(Table.prototype, 'toString');
    renderTable(['NAMESPACE', 'OBJECT', 'RESULT', 'REASON'], rows, { ...plain, width: 80 });
    const drawn = draw.mock.contexts.map((table) => (table as unknown as unknown[]).length);
    draw.mockRestore();
    expect(drawn.length).toBeGreaterThanOrEqual(300);
    expect(new Set(drawn)).toEqual(new Set([1]));
  });
});

describe('a pipe', () => {
  const headers = ['OBJECT', 'WAITING', 'REASON'];
  const pods = (count: number) =>
    Array.from({ length: count }, (_, i) => `Pod/${i + 1}`).join(', ');
  const lengths = (cells: string[], options = plain) =>
    renderTable(headers, [cells], options)
      .trimEnd()
      .split('\n')[1]
      ?.split(/ {2,}/)
      .map((text) => text.length);

  test('cuts the reason first, then other sentences, never a name', () => {
    const reason = 'word '.repeat(60).trimEnd();
    const name = 'n'.repeat(100);
    expect(lengths(['Pod/a', pods(5), reason])).toEqual([5, 33, 115]);
    expect(lengths([name, pods(5), reason])).toEqual([100, 13, 35]);
    expect(lengths([`${name}${name}`, '', 'gone'])).toEqual([200, 4]);
  });

  test('has everything with -o wide, and where labels were asked for', () => {
    const cells = ['Pod/a', pods(30), 'word '.repeat(60).trimEnd()];
    const whole = cells.map(({ length }) => length);
    const labels = { named: [], all: false, of: () => ({}) };
    expect(lengths(cells, { ...plain, wide: true })).toEqual(whole);
    expect(lengths(cells, { ...plain, labels })).toEqual(whole);
  });
});

test('wide characters take their room', () => {
  const rows = rowsOf(['日本', 'x'], ['web-1', 'x']);
  expect(renderTable(['NAME', 'X'], rows, plain)).toBe('NAME    X\n日本    x\nweb-1   x\n');
});

test('colours take none', () => {
  const rows: Cell[][] = ['web-1 gone', 'w '].map((line) => {
    const [name = '', owners = ''] = line.split(' ');
    return [
      { text: name, paint: 'red' },
      { text: owners, paint: 'yellow' },
    ];
  });
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

test('a name of any length is wrapped, in time that grows with it', () => {
  const name = 'x'.repeat(5000);
  const options = { ...plain, width: 80 };
  const lines = renderTable(['NAMESPACE', 'NAME', 'STATUS'], [['shop', name, 'ready']], options)
    .trimEnd()
    .split('\n');
  expect(lines.slice(1).join('').replaceAll(/[^x]/g, '')).toBe(name);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test('a name may have more parts than a function may have arguments', () => {
  const name = 'x-'.repeat(200_000);
  const text = renderTable(['NAMESPACE', 'NAME'], [['shop', name]], { ...plain, width: 80 });
  expect(text.match(/x/g)?.length).toBe(200_000);
});

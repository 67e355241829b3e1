import { expect, test } from 'vitest';
import { printable, printedName } from '../../src/output/printable.ts';

test.each([
  ['web-1', 'web-1'],
  ['größe 日本 🚢', 'größe 日本 🚢'],
  ['\u001b[31mred', '^[[31mred'],
  ['two\nlines', 'two^Jlines'],
  ['bell\u0007', 'bell^G'],
  ['\u0000\u007f\u009b', '^@  '],
  ['shop\u202egnp.', 'shop gnp.'],
  ['a\u2028b\u2029c', 'a b c'],
  ['admin\u200b', 'admin\\u200b'],
  ['\ufeffa\u00ad\u2060b\u{e0001}', '\\ufeffa\\u00ad\\u2060b\\udb40\\udc01'],
  ['half \ud83d', 'half  '],
  ['\u001b]52;c;cm0gLXJm\u0007', '^[]52;c;cm0gLXJm^G'],
  ['::error file=x::y', '\\::error file=x::y'],
  ['  ::add-mask::e', '  \\::add-mask::e'],
  ['##[group]x', '\\##[group]x'],
  ['##vso[task.complete]', '\\##vso[task.complete]'],
  ['a::error', 'a::error'],
])('%j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test('a name is printed as kubectl prints it, and where that would steer a terminal as one that no object has', () => {
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'cart 1' };
  expect(printedName(widget)).toBe('widget.example.com/cart 1');
  const hostile = { ...widget, name: 'cart\u001b[2J\n\u202e\u200b1\ud800' };
  expect(printedName(hostile)).toBe('widget.example.com/cart%1B[2J%0A%E2%80%AE%E2%80%8B1%EF%BF%BD');
});

test('every sign that Unicode calls a control, a format or one to ignore, and no other, is replaced', () => {
  const hidden = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Cs}]/u;
  const signs = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code));
  const isReplaced = (sign: string) => printable(sign) !== sign;
  expect(signs.filter(isReplaced)).toEqual(signs.filter((sign) => hidden.test(sign)));
});

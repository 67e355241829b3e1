import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printedText, withControls } from '../../src/output/printable.ts';
import { renderYaml } from '../../src/output/yaml.ts';
import { jsonText } from '../../src/syntax/json-text.ts';

/** All that acts on a terminal but lines and tabs, and what cannot be seen. */
const acting =
  /[^\n\t\P{Cc}]|[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Cs}]/u;

test('no printed text acts on a terminal, whatever it contains', () => {
  const text = fc.string({
    unit: fc.constantFrom(...'a\t\n\u001b[3;mJ\u009b\u202e\u200b\u2028\u007f\ud800é漢✓'),
  });
  fc.assert(fc.property(text, (one) => !acting.test(printedText(one))));
});

test('documents are printed as they are', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const text of [jsonText(value, 2), renderYaml({ value })])
        expect(printedText(text)).toBe(text);
    }),
  );
});

test.each([
  ['\u001b[31mred\u001b[0m', { colour: true }, '\u001b[31mred\u001b[0m'],
  ['\u001b[31mred\u001b[0m', {}, '^[[31mred^[[0m'],
  ['\u001b[2J\u001b]52;c;x\u0007', { colour: true }, '^[[2J^[]52;c;x^G'],
  ['a\tb\n', {}, 'a\tb\n'],
])('%j with %j is printed as %j', (text, look, shown) => {
  expect(printedText(text, look)).toBe(shown);
});

test('controls stand in the code, and around what was made for printing', () => {
  expect(withControls`\u001b[H${printedText('a\u001b')}\u001b[J`).toBe('\u001b[Ha^[\u001b[J');
});

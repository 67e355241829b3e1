import { expect, test } from 'vitest';
import { jsonText } from '../../src/syntax/json-text.ts';

test('JSON says the same with characters that a terminal acts on escaped', () => {
  const document = { 'a\u009b31m': ['\u202e', '\u2028', '\u001b', 'größe 🚢', 'a\u200d\u{e0041}'] };
  expect(jsonText(document)).toBe(
    String.raw`{"a\u009b31m":["\u202e","\u2028","\u001b","größe 🚢","a\u200d\udb40\udc41"]}`,
  );
  expect(JSON.parse(jsonText(document, 2))).toEqual(document);
});

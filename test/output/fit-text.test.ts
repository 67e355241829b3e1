import { describe, expect, test } from 'vitest';
import {
  cutAtWord,
  flowed,
  hangOf,
  isNarrow,
  spelled,
  textWidth,
  wrapped,
} from '../../src/output/fit-text.ts';
import { styleOf } from '../../src/output/style.ts';
import { rowsOf } from '../support/rows.ts';

test.each(
  rowsOf(`
    behind a word                | there is no Deployment web | 14 | there is no…
    behind a comma               | Pod/a,Pod/b,Pod/c          | 13 | Pod/a,Pod/b…
    before the count of a list   | 1 Deployment, 2 Pods       | 16 | 1 Deployment…
    not within its first word    | registry-mirror-secret web | 8  | registry-mirror-secret…
    not at all where it fits     | no Deployment web          | 17 | no Deployment web
    by the room that it takes    | 日本 日本 日本             | 9  | 日本…
  `),
)('a text is cut %s: %s in %s columns', (_, text, width, cut) => {
  expect(cutAtWord(text, Number(width))).toBe(cut);
});

test.each(
  rowsOf(`
    at blanks, which are not printed     | there is no Deployment web in namespace shop | 20
                                         | there is no / Deployment web in / namespace shop
    behind a sign that joins its parts   | Secret/registry-mirror-credentials | 24
                                         | Secret/registry-mirror- / credentials
    else wherever it has to be           | aaaaaaaaaa | 4 | aaaa / aaaa / aa
    the same where signs are wide        | 日本語日本語 | 4 | 日本 / 語日 / 本語
    not where it fits to the last column | exactly ten | 11 | exactly ten
    so that a part that fits is not cut  | web-7887448d46 | 13 | web- / 7887448d46
    even where little is on its line     | Pod/recommendations-575c7ff47-dkqnm | 16
                                         | Pod/ / recommendations- / 575c7ff47-dkqnm
    as late as possible if it never fits | a-bbbbbbbbbbbb | 8 | a-bbbbbb / bbbbbb
    between kind and name                | CertificateSigningRequest/csr-worker-4 | 30
                                         | CertificateSigningRequest/ / csr-worker-4
    behind the last slash                | docker.io/library/postgres:16.4 | 30
                                         | docker.io/library/ / postgres:16.4
    in the middle of FooBar              | CertificateSigningRequest/csr | 20
                                         | CertificateSigning / Request/csr
    before a dot                         | platform.example.com | 18 | platform.example. / com
  `),
)('a text is wrapped %s: %s', (_, text = '', width = '', lines = '') => {
  expect(wrapped(text, Number(width))).toEqual(lines.split(' / '));
});

test('a text continues with its suffix', () => {
  expect(wrapped('├─ Pod/web-86864d7b59-68df5', 20, '│    ')).toEqual([
    '├─ Pod/web-',
    '│    86864d7b59-',
    '│    68df5',
  ]);
});

test('colours take no room and no letter is lost', () => {
  const { red } = styleOf({ colour: true, width: undefined, now: 0 });
  const lines = wrapped(`${red('one two')} three`, 7);
  expect(lines).toEqual([red('one two'), 'three']);
  expect(lines.map(textWidth)).toEqual([7, 5]);
});

test('every width keeps every word of a sentence, and none of its lines is wider', () => {
  const sentence =
    'owner Deployment/web has a new uid (was 5e0c54a1, is 0b89f15e), in web-86864d7b59';
  for (let width = 10; width < 90; width++) {
    const lines = wrapped(sentence, width);
    expect(lines.every((line) => textWidth(line) <= width)).toBe(true);
    expect(lines.join('').replaceAll(' ', '')).toBe(sentence.replaceAll(' ', ''));
  }
});

describe('lines for people', () => {
  test('go on below themselves, and below the branches of a tree', () => {
    const text = 'Note: one two three four\n├─ ✗ Node/worker-2: not ready\n   → bring it back';
    expect(flowed(text, { width: 18 })).toBe(
      [
        'Note: one two',
        '  three four',
        '├─ ✗ Node/',
        '│    worker-2: not',
        '│    ready',
        '   → bring it back',
      ].join('\n'),
    );
    expect(flowed(text, { width: undefined })).toBe(text);
  });

  test('are spelled in ASCII where the terminal knows nothing else', () => {
    const drawn = '│  ├─ ✗ a\n└─ … b → c • d ≤20s';
    expect(spelled(drawn, { ascii: true })).toBe('|  |- x a\n`- ... b -> c * d <=20s');
    expect(spelled(drawn, { ascii: false })).toBe(drawn);
  });
});

test('a narrow text is as wide as it is long; what a terminal may draw otherwise is not narrow', () => {
  const signs = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  const narrow = signs.filter(isNarrow);
  expect(narrow.filter((sign) => textWidth(sign) !== 1)).toEqual([]);
  expect(narrow.length).toBeGreaterThan(500);
  const others = ['日', '😀', 'e\u0301', 'a\u00adb', 'a\u200bb', '\u001b[1ma', 'a\tb', '\ufe0f'];
  expect(others.filter(isNarrow)).toEqual([]);
});

test('a wrapped line goes on beside the branches of its tree, whatever stands behind them', () => {
  expect(flowed('├╌ aaaa bbbb cc', { width: 12 })).toBe('├╌ aaaa bbbb\n│    cc');
  expect(['│  ├─ ', '│  └╌ ', '(41 levels down) '].map(hangOf)).toEqual([
    '│  │    ',
    '│       ',
    '  ',
  ]);
});

import { describe, expect, test } from 'vitest';
import { flowed, isNarrow, spelled, textWidth, wrapped } from '../../src/output/fit-text.ts';
import { styleOf } from '../../src/output/style.ts';

describe('a text is wrapped', () => {
  test('at blanks, which are not printed', () => {
    expect(wrapped('there is no Deployment web in namespace shop', 20)).toEqual([
      'there is no',
      'Deployment web in',
      'namespace shop',
    ]);
  });

  test('a name without blanks behind a sign that joins its parts', () => {
    expect(wrapped('Secret/registry-mirror-credentials', 24)).toEqual([
      'Secret/registry-mirror-',
      'credentials',
    ]);
  });

  test('anything else wherever it has to be', () => {
    expect(wrapped('a'.repeat(10), 4)).toEqual(['aaaa', 'aaaa', 'aa']);
    expect(wrapped('日本語日本語', 4)).toEqual(['日本', '語日', '本語']);
  });

  test('and goes on with what hangs', () => {
    expect(wrapped('├─ Pod/web-86864d7b59-68df5', 20, '│    ')).toEqual([
      '├─ Pod/web-',
      '│    86864d7b59-',
      '│    68df5',
    ]);
  });

  test('not where it fits to the last column', () => {
    expect(wrapped('exactly ten', 11)).toEqual(['exactly ten']);
  });

  test('by what is seen of it: colours take no room and no letter is lost', () => {
    const { red } = styleOf({ colour: true, width: undefined, now: 0 });
    const lines = wrapped(`${red('one two')} three`, 7);
    expect(lines).toEqual([red('one two'), 'three']);
    expect(lines.map(textWidth)).toEqual([7, 5]);
  });
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

test('a part that fits below is not cut, even where its line is left nearly empty', () => {
  expect(wrapped('web-7887448d46', 13)).toEqual(['web-', '7887448d46']);
  expect(wrapped('Pod/recommendations-575c7ff47-dkqnm', 16)).toEqual([
    'Pod/',
    'recommendations-',
    '575c7ff47-dkqnm',
  ]);
  // It fits nowhere: what remains is cut as late as possible.
  expect(wrapped(`a-${'b'.repeat(12)}`, 8)).toEqual(['a-bbbbbb', 'bbbbbb']);
});

test('a long name is broken between kind and name, before a dot, or in the middle of FooBar', () => {
  expect(wrapped('CertificateSigningRequest/csr-worker-4', 30)).toEqual([
    'CertificateSigningRequest/',
    'csr-worker-4',
  ]);
  expect(wrapped('docker.io/library/postgres:16.4', 30)).toEqual([
    'docker.io/library/',
    'postgres:16.4',
  ]);
  expect(wrapped('CertificateSigningRequest/csr', 20)).toEqual([
    'CertificateSigning',
    'Request/csr',
  ]);
  expect(wrapped('platform.example.com', 18)).toEqual(['platform.example.', 'com']);
});

test('a narrow text is as wide as it is long; what a terminal may draw otherwise is not narrow', () => {
  const signs = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  const narrow = signs.filter(isNarrow);
  expect(narrow.filter((sign) => textWidth(sign) !== 1)).toEqual([]);
  expect(narrow.length).toBeGreaterThan(500);
  const others = ['日', '😀', 'e\u0301', 'a\u00adb', 'a\u200bb', '\u001b[1ma', 'a\tb', '\ufe0f'];
  expect(others.filter(isNarrow)).toEqual([]);
});

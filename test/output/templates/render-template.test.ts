import { describe, expect, test } from 'vitest';
import { renderTemplate, sortedBy } from '../../../src/output/templates/render-template.ts';
import { templateOf } from '../../../src/output/templates/template.ts';

const options = { colour: false, width: undefined, now: 0 };
const document = {
  kind: 'List',
  items: [
    { object: { name: 'b', kind: 'Pod' }, size: 10, 'example.com/x': 'y' },
    { object: { name: 'a', kind: 'Secret' }, size: 9 },
    { object: { name: 'c\u001b[31m', kind: 'Pod' } },
  ],
};
const filled = (output: string) => {
  const template = templateOf(output);
  if (!template) throw new Error(`${output} has no template`);
  return renderTemplate(document, template, options);
};

describe('jsonpath', () => {
  test.each([
    ['{.kind}: {.items[*].object.name}', 'List: b a c^[[31m'],
    ['{range .items[*]}{.object.kind}{"\\t"}{.size}{"\\n"}{end}', 'Pod\t10\nSecret\t9\nPod\t\n'],
    ['{.items[?(@.object.kind=="Secret")].object.name}', 'a'],
    ['{.items[0].example\\.com/x}', 'y'],
    ["{.items[0]['example\\.com/x']}", 'y'],
    ['no braces', 'no braces'],
    ['{.items[1]}', '{"object":{"name":"a","kind":"Secret"},"size":9}'],
    ['{.nothing.at.all}', ''],
    ['{.items[0,1].object.name}', 'b a'],
    ["{.items[*].object['name','kind']}", 'b a c^[[31m Pod Secret Pod'],
    ["{.items[0]['object.name','size']}", 'b 10'],
    ['{.items[?(@.size!=9)].size}', '10'],
    ['{.items[?(@.more.deeply>9)].size}', ''],
    ['{1} {true}', '1 true'],
  ])('%s', (template, text) => {
    expect(filled(`jsonpath=${template}`)).toBe(text);
  });

  test.each([
    ['{.a', 'error parsing jsonpath {.a, unclosed action at {'],
    ['{range .a[*]}x', 'error parsing jsonpath {range .a[*]}x, unclosed range'],
    ['{end}', 'error parsing jsonpath {end}, not in range, nothing to end'],
    ['{.items[?(@.size==9 || @.size==10)]}', 'filters compare'],
    ['{items}', 'error parsing jsonpath {items}, unrecognized identifier items'],
  ])('%s is refused', (template, message) => {
    expect(() => filled(`jsonpath=${template}`)).toThrow(message);
  });
});

test('custom-columns has a row for each item', () => {
  expect(filled('custom-columns=NAME:.object.name,SIZE:size,KIND:{.object.kind}')).toBe(
    'NAME      SIZE     KIND\nb         10       Pod\na         9        Secret\nc^[[31m   <none>   Pod\n',
  );
  expect(() => filled('custom-columns=NAME')).toThrow('expected <header>:<json-path-expr>');
});

test('templates of Go are refused, also a format without its template', () => {
  for (const output of ['go-template={{.kind}}', 'go-template-file=x', 'template={{.kind}}']) {
    expect(() => templateOf(output)).toThrow('is not supported');
  }
  expect(() => templateOf('jsonpath')).toThrow('no template given');
  expect(templateOf('json')).toBe(undefined);
});

test('items are sorted by numbers as numbers, those without first', () => {
  const names = (path: string) =>
    sortedBy(document, path).items.map(({ object }) => object.name[0]);
  expect(names('.size')).toEqual(['c', 'a', 'b']);
  expect(names('{.object.name}')).toEqual(['a', 'b', 'c']);
  expect(names('object.kind')).toEqual(['b', 'c', 'a']);
});

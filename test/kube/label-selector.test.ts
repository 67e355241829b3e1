import { describe, expect, test } from 'vitest';
import { isGcError } from '../../src/errors.ts';
import { parseLabelSelector } from '../../src/kube/label-selector.ts';

const objects = {
  bare: undefined,
  web: { app: 'web' },
  db: { app: 'db', tier: 'back' },
  nameless: { app: '', canary: 'true' },
  odd: { in: 'in', notin: 'notin', 'shop.example.com/size': '10' },
  nine: { size: '9', app: 'web' },
  large: { size: 'large' },
};

/** What labels.Parse of apimachinery v0.36.3 matches among `objects`. */
const selected: Record<string, string> = {
  '': 'bare web db nameless odd nine large',
  ' ': 'bare web db nameless odd nine large',
  app: 'web db nameless nine',
  '!app': 'bare odd large',
  '! app': 'bare odd large',
  'app=web': 'web nine',
  'app==web': 'web nine',
  'app = web': 'web nine',
  'app=': 'nameless',
  'app=,tier=back': '',
  'app!=web': 'bare db nameless odd large',
  'app!=': 'bare web db odd nine large',
  'app in (web,db)': 'web db nine',
  'app in(web)': 'web nine',
  'app in (web, db )': 'web db nine',
  'app in ()': 'nameless',
  'app in (,web)': 'web nameless nine',
  'app in (web,)': 'web nameless nine',
  'app in (web,,db)': 'web db nameless nine',
  'app notin (web)': 'bare db nameless odd large',
  'app notin ()': 'bare web db odd nine large',
  'app notin (web),tier': 'db',
  in: 'odd',
  notin: 'odd',
  '!in': 'bare web db nameless nine large',
  'in=in': 'odd',
  'in in (in)': 'odd',
  'notin notin (notin)': 'bare web db nameless nine large',
  'size>8': 'nine',
  'size > 8': 'nine',
  'size>08': 'nine',
  'size>9': '',
  'size<10': 'nine',
  'size<0': '',
  'size>8,size<10': 'nine',
  'size<9,app': '',
  'size>9223372036854775807': '',
  'size<9223372036854775807': 'nine',
  'shop.example.com/size=10': 'odd',
  'shop.example.com/size in (10,11)': 'odd',
  'app\tin\t(web)': 'web nine',
  'app\nin (web)': 'web nine',
  'app=web,tier notin (front,back)': 'web nine',
  'canary=true': 'nameless',
  'app=web.v1_2-x': '',
};

const refused = [
  'size>large',
  'size>',
  'size>=8',
  'size>+8',
  'size>-5',
  'size>0x1',
  'size>1_0',
  'size<9223372036854775808',
  'app<web',
  'app=web,',
  ',app=web',
  'app=web,,tier',
  'app web',
  'app=web db',
  'app in web',
  'app in (web',
  'app in web)',
  'app in ((web))',
  'app in (web db)',
  'app in (web) tier',
  'app in (web)(db)',
  'app===web',
  'app=!web',
  'app=web!',
  'app!',
  'app! =web',
  '!app=web',
  '!!app',
  '!',
  '=web',
  'app=(web)',
  '/size',
  'shop/',
  'shop/size/x',
  'Shop.Example.com/size',
  '-app',
  'app-',
  'app$',
  'app=we$b',
  'app=-web',
  'app in (we$b)',
  'a'.repeat(64),
  `app=${'a'.repeat(64)}`,
];

describe('selects as the API server does', () => {
  test.each(Object.entries(selected))('%j', (selector, names) => {
    const matches = parseLabelSelector(selector);
    const found = Object.entries(objects).filter(([, labels]) => matches(labels));
    expect(found.map(([name]) => name).join(' ')).toBe(names);
  });
});

describe('refuses what the API server refuses', () => {
  test.each(refused)('%j', (selector) => {
    expect(() => parseLabelSelector(selector)).toThrow(/^unable to parse requirement/);
  });
});

test('says which part is wrong, and what a selector looks like', () => {
  const parse = () => parseLabelSelector('app=web,tier=we$b');
  expect(parse).toThrow(
    'unable to parse requirement "tier=we$b" of label selector "app=web,tier=we$b": "we$b" is no label value',
  );
  try {
    parse();
  } catch (error) {
    expect(isGcError(error) && [error.code, error.exitCode, error.suggestions]).toEqual([
      'invalid-selector',
      2,
      ["Write it as kubectl does: -l 'app=web,tier in (a,b),!canary'."],
    ]);
  }
});

import { describe, expect, test } from 'vitest';
import { type FlagShape, normalizeArgv } from '../../src/shell/argv/normalize-argv.ts';
import { rowsOf } from '../support/rows.ts';

const flags: readonly FlagShape[] = [
  { name: 'all-namespaces', char: 'A', type: 'boolean' },
  { name: 'watch', char: 'w', type: 'boolean' },
  { name: 'namespace', char: 'n', type: 'option' },
  { name: 'output', char: 'o', type: 'option' },
  { name: 'token', type: 'option' },
  { name: 'as-group', type: 'option', multiple: true },
  { name: 'v', char: 'v', type: 'option' },
  { name: 'cascade', type: 'option', bare: 'background', following: '^(foreground|orphan)$' },
  { name: 'interval', type: 'option', bare: 'short' },
];

describe('normalizeArgv rewrites what kubectl users write into what oclif reads', () => {
  const cases = rowsOf(`
    a boolean set to true           | tree --watch=true          | tree --watch
    a boolean set to false          | tree --watch=false pod/web | tree pod/web
    a short boolean with a value    | tree -A=false -w=1         | tree --watch
    the last of several booleans wins     | tree --watch --watch=false | tree
    the last of several booleans wins, on | tree --watch=false --watch | tree --watch
    flags before the command        | -n shop -A tree pod/web    | tree pod/web --namespace=shop --all-namespaces
    a value that is named like a command  | -n tree tree pod/web | tree pod/web --namespace=tree
    the last of several values wins | tree -o json -oyaml --output=name | tree --output=name
    repeatable flags are all kept   | tree --as-group a pod/x --as-group=b | tree pod/x --as-group=a --as-group=b
    joined short flags              | tree -Awnshop              | tree --all-namespaces --watch --namespace=shop
    a short flag with an equals sign | tree -n=shop              | tree --namespace=shop
    a value that starts with a dash | tree --token -abc          | tree --token=-abc
    an empty value                  | tree --token=              | tree --token=
    a value with an equals sign     | tree --token=a=b           | tree --token=a=b
    underscores in names, as pflag takes them | tree --all_namespaces | tree --all-namespaces
    a flag that may stand alone     | tree --cascade pod/web     | tree pod/web --cascade=background
    and has a value with =          | tree --cascade=x pod/web   | tree pod/web --cascade=x
    or a word that can be no other  | tree --cascade orphan pod  | tree pod --cascade=orphan
    or stands at the end            | tree pod/web --cascade     | tree pod/web --cascade=background
    and else takes no word          | tree --interval 5s         | tree 5s --interval=short
    a bare -v                       | tree -v pod/web            | tree pod/web --v=1
    a log level                     | tree -v 6 pod/web          | tree pod/web --v=6
    a joined log level              | tree -v6                   | tree --v=6
    unknown flags are kept          | tree --colour pod/web      | tree pod/web --colour
    nothing after -- is a flag      | tree -A -- -n pod/web      | tree --all-namespaces -- -n pod/web
    help in short                   | tree -h                    | tree --help
  `);
  test.each(cases)('%s', (_, given = '', wanted = '') => {
    expect(normalizeArgv(given.split(' '), flags)).toEqual(wanted.split(' '));
  });

  test('a word that is no boolean is refused with the flag and the word', () => {
    expect(() => normalizeArgv(['tree', '--watch=maybe'], flags)).toThrow(
      'invalid argument "maybe" for "--watch" flag',
    );
  });

  test('a flag at the end without its value is refused', () => {
    expect(() => normalizeArgv(['tree', '--namespace'], flags)).toThrow(
      'flag needs an argument: --namespace',
    );
    expect(() => normalizeArgv(['tree', '-n'], flags)).toThrow('flag needs an argument: -n');
  });
});

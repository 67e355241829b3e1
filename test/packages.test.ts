import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { KubeConfig } from '@kubernetes/client-node';
import { parseEvents, YAMLException } from 'js-yaml';
import { expect, test } from 'vitest';
import { parseDocument, stringify } from 'yaml';
import { kubeconfigOf } from './support/kubeconfig.ts';

const require = createRequire(import.meta.url);

// Each test shows why code of our own stands beside a package (ARCHITECTURE.md). When one fails, the package has
// learned it, and our code can go.

test('oclif takes --flag=false for true and an argument', async () => {
  const { Flags, Parser } = require('@oclif/core');
  const { flags, argv } = await Parser.parse(['--wait=false'], {
    flags: { wait: Flags.boolean() },
    strict: false,
  });
  expect({ flags, argv }).toEqual({ flags: { wait: true }, argv: ['false'] });
});

test('client-node loses tokenFile and as-groups of a kubeconfig', () => {
  const config = new KubeConfig();
  const user = { tokenFile: '/var/run/token', as: 'robot', 'as-groups': ['robots'] };
  config.loadFromString(JSON.stringify(kubeconfigOf({ server: 'https://localhost' }, user)));
  const kept = JSON.stringify(config.getCurrentUser());
  expect({ robot: kept.includes('robot'), file: kept.includes('/var/run/token') }).toEqual({
    robot: true,
    file: false,
  });
  expect(kept).not.toContain('robots');
});

test('client-node takes the context of the last kubeconfig, where kubectl takes the first, and refuses names that both have', () => {
  const read = (text: string) => {
    const config = new KubeConfig();
    config.loadFromString(text);
    return config;
  };
  const text = JSON.stringify(kubeconfigOf({ server: 'https://one' }));
  const merged = read(text);
  const other = text.replaceAll(/"(name|current-context|user)":"([a-z]+)"/g, '"$1":"other-$2"');
  merged.mergeConfig(read(other.replaceAll('"cluster":"cluster"', '"cluster":"other-cluster"')));
  expect(merged.getCurrentContext()).toBe('other-context');
  expect(() => merged.mergeConfig(read(text))).toThrow('Duplicate cluster');
});

test('client-node passes no cluster to a login plugin, and does not save a new refresh-token of oidc', () => {
  const read = (name: string) =>
    readFileSync(new URL(name, import.meta.resolve('@kubernetes/client-node')), 'utf8');
  expect(read('exec_auth.js')).not.toContain('KUBERNETES_EXEC_INFO');
  expect(read('oidc_auth.js')).toContain("config['refresh-token'] = newToken.refresh_token");
  expect(read('oidc_auth.js')).not.toContain('writeFile');
});

test('chalk does not look at NO_COLOR', () => {
  const source = readFileSync(
    new URL('vendor/supports-color/index.js', import.meta.resolve('chalk')),
    'utf8',
  );
  expect({
    FORCE_COLOR: source.includes('FORCE_COLOR'),
    NO_COLOR: source.includes('NO_COLOR'),
  }).toEqual({ FORCE_COLOR: true, NO_COLOR: false });
});

test('yaml leaves on and yes unquoted, which YAML 1.1 reads as true', () => {
  expect(stringify({ a: 'on', b: 'yes' })).toBe('a: on\nb: yes\n');
  expect(stringify({ a: 'on', b: 'yes' }, { version: '1.1' })).toBe('a: "on"\nb: "yes"\n');
});

test.each(['a: [\n]\n', 'a:\t[]\n', 'a: "b"#c\n', 'a: "b\nc"\n'])(
  'js-yaml refuses YAML of kubectl: %j',
  (text) => {
    expect(() => parseEvents(text, {})).toThrow(YAMLException);
  },
);

test.each([
  ['a: "b\nc"\n', []],
  ['[a:]\n', [[{ a: null }]]],
])('yaml refuses or misreads YAML of kubectl: %j', (text, read) => {
  const document = parseDocument(text, { version: '1.1', strict: false });
  expect(document.errors.length > 0 ? [] : [document.toJS()]).toEqual(read);
});

test('cli-table3 compares every cell with all cells above it', () => {
  const { fillInTable } = require('cli-table3/src/layout-manager');
  const looksAt = (rows: number): number => {
    let looks = 0;
    const cell = (y: number) => ({
      x: 0,
      get y() {
        looks += 1;
        return y;
      },
    });
    fillInTable(Array.from({ length: rows }, (_, y) => [cell(y)]));
    return looks;
  };
  expect(looksAt(200) / looksAt(100)).toBeGreaterThan(3);
});

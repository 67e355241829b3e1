import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/errors.ts';
import { fromFiles } from '../../src/files/from-files.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const map = (name: string) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"}}`;
const yaml = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;

/** What kubectl reads of each, taken down from v1.36 (`kubectl label --local -f FILE x=y -o name`); undefined: it refuses the file. */
const inputs: Readonly<Record<string, readonly [text: string, names: string[] | undefined]>> = {
  'YAML documents': [`${yaml('a')}---\n${yaml('b')}`, ['a', 'b']],
  'JSON values': [`${map('a')}\n${map('b')}`, ['a', 'b']],
  'JSON between separators': [`${map('a')}\n---\n${map('b')}\n`, ['a', 'b']],
  'a comment before JSON': [`# first\n${map('a')}\n`, ['a']],
  'a typed list': [
    '{"apiVersion":"v1","kind":"ConfigMapList","items":[{"metadata":{"name":"a"}}]}',
    ['a'],
  ],
  'a List in a List': [
    `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"List","items":[${map('a')}]}]}`,
    ['a'],
  ],
  'comments behind separators': [`--- # first\n${yaml('a')}--- # second\n${yaml('b')}`, ['a', 'b']],
  'text behind a separator': [`--- ${map('a')}\n`, undefined],
};

/** The names of the ConfigMaps that a command line reads; undefined where it reports that it could not read all. */
async function namesOf(line: string): Promise<string[] | undefined> {
  const { stdout, stderr } = await gcHere(line);
  const isWhole = !/unreadable|error parsing|invalid document separator/.test(stdout + stderr);
  return isWhole
    ? [...stdout.matchAll(/configmap\/(\w+)/g)].map(([, name = '']) => name)
    : undefined;
}

describe('--from and delete -f read a file as kubectl does:', () => {
  test.each(Object.entries(inputs))('%s', async (_, [text, names]) => {
    for (const [at, content] of [text, Buffer.from(`\ufeff${text}`, 'utf16le')].entries()) {
      const file = join(folder, `${at}.txt`);
      writeFileSync(file, content);
      const from = `--from ${file} --complete -n default`;
      const deleted = await namesOf(`delete -f ${file} --dry-run=client -o name ${from}`);
      const read = await namesOf(`orphans configmaps --unmanaged -o name ${from}`);
      expect([deleted, read]).toEqual([names, names]);
    }
  });
});

test('the last line of a file has a line break, whether it ends with one or not, as kubectl adds it', async () => {
  const found: unknown[] = [];
  for (const text of [
    `${yaml('a')}data:\n  k: |\n    one\n    two`,
    `${yaml('b')}data:\n  k: "x"`,
  ]) {
    const file = join(folder, 'last-line.yaml');
    writeFileSync(file, text);
    await fromFiles([file], {
      now: () => new Date(),
      complete: true,
      onObject: ({ data }) => found.push(data),
    });
  }
  expect(found).toEqual([{ k: 'one\ntwo\n' }, { k: 'x' }]);
});

const scenario = '{"apiVersion":"kubectl-gc/v1","kind":"Scenario","requests":[]}';
const ofOneObject: Readonly<Record<string, readonly [text: string, line: string]>> = {
  'a configuration': ['{}', `audit --from ${folder}/0.txt --complete --config FILE`],
  'a scenario': [scenario, `simulate --from ${folder}/0.txt --complete --scenario FILE`],
};

test.each(Object.entries(ofOneObject))('%s in an array is refused', async (_, [text, line]) => {
  writeFileSync(join(folder, '0.txt'), map('a'));
  const codeOf = async (content: string) => {
    const file = join(folder, 'one.json');
    writeFileSync(file, content);
    return (await gcHere(line.replaceAll('FILE', file))).code;
  };
  expect(await codeOf(text)).toBe(0);
  expect(await codeOf(`[${text}]`)).toBe(exitCodes.usage);
});

import { describe, expect, test } from 'vitest';
import { sourceFiles } from './support/architecture/source-files.ts';
import { violationsOf } from './support/architecture/violations.ts';

describe('this repository', () => {
  test('keeps to its architecture', () => {
    expect(violationsOf(sourceFiles('src', 'test', 'examples', 'scripts', 'bench'))).toEqual([]);
  });
});

/** A small tree in which nothing is wrong. */
const sound: Readonly<Record<string, string>> = {
  'src/errors.ts': `export class GcError extends Error {}`,
  'src/kube/name.ts': `export const name = 'web';`,
  'src/snapshot/snapshot.ts': `import { name } from '../kube/name.ts';\nexport const snapshot = { name };`,
  'src/snapshot/graph/graph.ts': `import { snapshot } from '../snapshot.ts';\nexport const graph = snapshot;`,
  'src/output/table.ts': `import { Chalk } from 'chalk';\nimport Table from 'cli-table3';\nexport { Chalk, Table };`,
  'src/cluster/connection/connect.ts': `import { KubeConfig } from '@kubernetes/client-node';\nexport type Client = KubeConfig;`,
  'src/cluster/from-cluster.ts': `import type { Client } from './connection/connect.ts';\nimport { readFile } from 'node:fs/promises';\nexport const open = async (client: Client) => [client, readFile, await import('./connection/connect.ts')];`,
  'src/why/ask/ask.ts': `import type { Client } from '../../cluster/connection/connect.ts';\nexport const ask = async (client: Client) => [client, Date.now(), await import('../../cluster/connection/connect.ts')];`,
  'src/shell/terminal/streams.ts': `export const writeOut = (text: string) => process.stdout.write(text);`,
  'src/shell/terminal/progress.ts': `export const spin = async () => (await import('ora')).default({ stream: process.stderr });`,
  'src/shell/oclif/package-json.ts': `import manifest from '../../../package.json' with { type: 'json' };\nexport { manifest };`,
  'src/shell/oclif/run-line.ts': `import { commands } from '../../commands/index.ts';\nexport { commands };`,
  'src/commands/index.ts': `export const commands = { tree: () => import('./tree.ts') };`,
  'src/commands/tree.ts': `import { Flags } from '@oclif/core/flags';\nimport { GcError } from '../errors.ts';\nimport { graph } from '../snapshot/graph/graph.ts';\nexport default { Flags, GcError, graph };`,
  'src/index.ts': `export { graph } from './snapshot/graph/graph.ts';`,
  'src/main.ts': `import { run } from '@oclif/core/run';\nimport { commands } from './shell/oclif/run-line.ts';\nexport const main = () => run(Object.keys(commands));`,
  'test/snapshot/graph.test.ts': `import { graph } from '../../src/snapshot/graph/graph.ts';\nexport { graph };`,
};

/** The sound tree with these files added or replaced. */
function planted(...files: readonly (readonly [path: string, text: string])[]): string[] {
  return violationsOf(new Map([...Object.entries(sound), ...files]));
}

describe('the check', () => {
  test('finds nothing in a sound tree', () => {
    expect(planted()).toEqual([]);
  });

  test('catches an import against the order of rooms', () => {
    const imports: readonly [string, string][] = [
      ['src/kube/up.ts', `import { graph } from '../snapshot/graph/graph.ts'; export { graph };`],
      ['src/snapshot/up.ts', `export { Chalk } from '../output/table.ts';`],
      [
        'src/snapshot/typed.ts',
        `import type { Table } from '../output/table.ts'; export type { Table };`,
      ],
      ['src/simulator/up.ts', `export type Open = typeof import('../cluster/from-cluster.ts');`],
      ['src/audit/up.ts', `export const later = () => import('../output/table.ts');`],
      ['src/files/up.ts', `export * from '../cluster/from-cluster.ts';`],
      ['src/shell/up.ts', `import '../commands/tree.ts';`],
      ['src/shell/top.ts', `import { main } from '../main.ts'; export { main };`],
      ['src/errors.ts', `import { name } from './kube/name.ts'; export { name };`],
      [
        'src/page/up.ts',
        `import type { graph } from '../snapshot/graph/graph.ts'; export type { graph };`,
      ],
      ['src/commands/owners.ts', `import tree from './tree.ts'; export default tree;`],
      ['src/commands/why/ask.ts', `import tree from '../tree.ts'; export default tree;`],
      [
        'src/restore/eager.ts',
        `import { connect } from '../cluster/connection/connect.ts'; export { connect };`,
      ],
      [
        'src/restore/half.ts',
        `import { type Client } from '../cluster/connection/connect.ts'; export type { Client };`,
      ],
      ['src/index.ts', `export { connect } from './cluster/connection/connect.ts';`],
      ['src/kube/test.ts', `import '../../test/snapshot/graph.test.ts';`],
      [
        'src/kube/json.ts',
        `import manifest from '../../package.json' with { type: 'json' }; export { manifest };`,
      ],
      ['src/snapshot/gone.ts', `import './nowhere.ts';`],
      ['src/shell/any.ts', 'export const load = (name: string) => import(name);'],
      ['src/services/list.ts', 'export {};'],
      ['src/stray.ts', 'export {};'],
    ];
    const problems = imports.flatMap((file) => planted(file));
    expect(problems).toHaveLength(imports.length);
    expect(problems.join('\n')).toMatchInlineSnapshot(`
      "src/kube/up.ts imports src/snapshot/graph/graph.ts: kube does not come after snapshot
      src/snapshot/up.ts imports src/output/table.ts: snapshot does not come after output
      src/snapshot/typed.ts imports src/output/table.ts: snapshot does not come after output
      src/simulator/up.ts imports src/cluster/from-cluster.ts: simulator does not come after cluster
      src/audit/up.ts imports src/output/table.ts: audit does not come after output
      src/files/up.ts imports src/cluster/from-cluster.ts: files does not come after cluster
      src/shell/up.ts imports src/commands/tree.ts: shell does not come after commands
      src/shell/top.ts imports src/main.ts: shell does not come after main.ts
      src/errors.ts imports src/kube/name.ts: errors.ts does not come after kube
      src/page/up.ts imports src/snapshot/graph/graph.ts: page stands beside the core, and may not
      src/commands/owners.ts imports src/commands/tree.ts: commands stand alone
      src/commands/why/ask.ts imports src/commands/tree.ts: commands stand alone
      src/restore/eager.ts imports src/cluster/connection/connect.ts at its top: src/cluster/connection/ is loaded by import() or for types
      src/restore/half.ts imports src/cluster/connection/connect.ts at its top: src/cluster/connection/ is loaded by import() or for types
      src/index.ts imports src/cluster/connection/connect.ts at its top: src/cluster/connection/ is loaded by import() or for types
      src/kube/test.ts imports test/snapshot/graph.test.ts, outside src
      src/kube/json.ts imports package.json, outside src
      src/snapshot/gone.ts imports src/snapshot/nowhere.ts, which is not there
      src/shell/any.ts has an import() of something other than a plain string
      src/services/list.ts is in no room of rooms.ts
      src/stray.ts is in no room of rooms.ts"
    `);
  });

  test.each([
    ['src/files/k8s.ts', '@kubernetes/client-node'],
    ['src/shell/colour.ts', 'chalk'],
    ['src/commands/print.ts', 'cli-table3'],
    ['src/commands/wait.ts', 'ora'],
    ['src/snapshot/parse.ts', 'yaml'],
    ['src/output/flags.ts', '@oclif/core'],
    ['src/shell/guess.ts', 'left-pad'],
    ['src/index.ts', 'yaml'],
  ])('catches misplaced packages: %s', (path, name) => {
    expect(planted([path, `import '${name}/deep';`])).toEqual([
      `${path} imports the package ${name}`,
    ]);
  });

  test('catches impurity', () => {
    const impure = {
      'reading files': `import 'node:fs';`,
      'the environment': 'export const home = process.env.HOME;',
      'the clock': 'export const now = () => Date.now();',
      'a date of today': 'export const now = () => new Date();',
      'a date as text': 'export const now = () => Date();',
      chance: 'export const dice = () => Math.random();',
      'a timer': 'setTimeout(() => undefined, 5);',
      'the network': `export const get = () => fetch('http://localhost');`,
      'a stopwatch': 'export const at = () => performance.now();',
      'globals by another door': `export const clock = globalThis['Date'];`,
      'the module itself': 'export const here = import.meta.url;',
      'a shorthand': 'export const all = { process };',
      'the locale': `export const order = (a: string) => a.localeCompare('b');`,
      'formats of a country': 'export const n = new Intl.NumberFormat();',
    };
    const problems = Object.entries(impure).map(([what, text]) => {
      const [problem, ...others] = planted(['src/kube/impure.ts', text]);
      expect(others, what).toEqual([]);
      return `${what}: ${problem}`;
    });
    expect(problems.join('\n')).toMatchInlineSnapshot(`
      "reading files: src/kube/impure.ts imports the package node
      the environment: src/kube/impure.ts uses process, but kube is pure
      the clock: src/kube/impure.ts uses Date.now(), but kube is pure
      a date of today: src/kube/impure.ts uses new Date(), but kube is pure
      a date as text: src/kube/impure.ts uses Date(), but kube is pure
      chance: src/kube/impure.ts uses Math.random(), but kube is pure
      a timer: src/kube/impure.ts uses setTimeout, but kube is pure
      the network: src/kube/impure.ts uses fetch, but kube is pure
      a stopwatch: src/kube/impure.ts uses performance, but kube is pure
      globals by another door: src/kube/impure.ts uses globalThis, but kube is pure
      the module itself: src/kube/impure.ts uses import.meta, but kube is pure
      a shorthand: src/kube/impure.ts uses process, but kube is pure
      the locale: src/kube/impure.ts uses localeCompare(), but kube is pure
      formats of a country: src/kube/impure.ts uses Intl, but kube is pure"
    `);
  });

  test.each([
    ['a given date', `export const at = new Date(0);`],
    [
      'a namesake property',
      `export const a = { process: 1, fetch() {} }; export const b = a.process;`,
    ],
    ['a namesake field', `export interface A { console: string; performance(): void }`],
    ['comments and texts', `/* process.env */ export const text = 'Date.now()'; // fetch()`],
    ['a regular expression', `export const pattern = /import 'x' process/;`],
  ])('takes no offence at %s', (_, text) => {
    expect(planted(['src/kube/pure.ts', text])).toEqual([]);
  });

  test.each([
    ['console', `console.log('x');`],
    ['stdout.write()', `process.stdout.write('x');`],
    ['stderr.write()', `const { stderr } = process; stderr.write('x');`],
    ['stdout.end()', `process.stdout.end();`],
    ['pipe(stdout)', `process.stdin.pipe(process.stdout);`],
    ['writeFileSync(1)', `import { writeFileSync } from 'node:fs'; writeFileSync(1, 'x');`],
    ['this.log()', `export class Command { log() {} run() { this.log(); } }`],
  ])('catches a second writer: %s', (write, text) => {
    expect(planted(['src/shell/loud.ts', text])).toEqual([
      `src/shell/loud.ts writes with ${write}; only src/shell/terminal/streams.ts does`,
    ]);
  });

  test.each([
    ['a template', `\`kubectl delete pod \${name}\``, 'kubectl delete pod {}'],
    ['a tag', `String.raw\`kubectl delete pod \${name}\``, 'kubectl delete pod {}'],
    ['a sum', "'kubectl delete pod ' + name", 'kubectl delete pod '],
    ['concat()', "'kubectl delete pod '.concat(name)", 'kubectl delete pod '],
    ['plain text', `\`\${name}: see kubectl auth whoami\``, '{}: see kubectl auth whoami'],
    ['a command of ours', "name + ' (kubectl gc why --gc)'", ' (kubectl gc why --gc)'],
    ['a placeholder as verb', `\`kubectl \${name} pod/a\``, 'kubectl {} pod/a'],
    ['a list of words', "['kubectl', 'delete', name].join(' ')", 'kubectl'],
    [
      'a command without place',
      `\`To do it: \${shellCommand\`kubectl delete \${name}\`}\``,
      'To do it: {}',
    ],
  ])('catches commands without place: %s', (_, text, found) => {
    const line = `export const line = (name: string) => ${text};`;
    expect(planted(['src/audit/prints.ts', line])).toEqual([
      `src/audit/prints.ts prints "${found}" without shellCommand and printedCommand`,
    ]);
  });

  test.each([
    [
      'that function prints it',
      `export const line = (name: string) => \`Do this: \${printedCommand(shellCommand\`kubectl delete pod \${name}\`, nowhere)}\`;`,
    ],
    ['help says it', `export const rule = { advice: 'kubectl gc why shows the chain.' };`],
    ['kubectl is only named', `export const line = 'It is taken, as kubectl would.';`],
  ])('accepts a command where %s', (_, text) => {
    expect(planted(['src/audit/prints.ts', text])).toEqual([]);
  });

  test('lets a stream be looked at and a child be written to', () => {
    const text = `export const quiet = (child: any) => [process.stdout.isTTY, child.stdin.end('x')];`;
    expect(planted(['src/shell/quiet.ts', text])).toEqual([]);
  });

  test('lets the files of one command import each other', () => {
    const story = `import { ask } from './ask.ts'; export default ask;`;
    const ask = `export const ask = () => 'why';`;
    expect(planted(['src/commands/why/why.ts', story], ['src/commands/why/ask.ts', ask])).toEqual(
      [],
    );
  });

  test('lets a folder in a room be pure where its neighbours are not', () => {
    const text = `export const now = () => Date.now();`;
    expect(planted(['src/why/links/now.ts', text], ['src/why/ask/now.ts', text])).toEqual([
      'src/why/links/now.ts uses Date.now(), but why/links is pure',
    ]);
  });

  test('catches a folder that says nothing', () => {
    const problems = planted(['test/utils/things.ts', ''], ['src/kube/helpers/things.ts', '']);
    expect(problems).toEqual([
      'test/utils/things.ts: a folder named utils says nothing',
      'src/kube/helpers/things.ts: a folder named helpers says nothing',
    ]);
  });

  test('catches a unit test that starts processes, itself or through a helper', () => {
    const helper = `import { spawn } from 'node:child_process';\nexport { spawn };`;
    const text = `import { spawn } from '../support/run.ts';\nexport { spawn };`;
    const browser = `import { launch } from 'puppeteer-core';\nexport { launch };`;
    expect(
      planted(
        ['test/support/run.ts', helper],
        ['test/kube/run.test.ts', text],
        ['test/kube/show.test.ts', browser],
        ['test/cli/run.test.ts', text],
        ['test/live/run.test.ts', text],
      ),
    ).toEqual([
      'test/kube/run.test.ts is a unit test, but test/support/run.ts imports node:child_process',
      'test/kube/show.test.ts is a unit test, but test/kube/show.test.ts imports puppeteer-core',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { sourceFiles } from './support/architecture/source-files.ts';
import { violationsOf } from './support/architecture/violations.ts';

describe('this repository', () => {
  it('keeps to its architecture', () => {
    expect(violationsOf(sourceFiles('src', 'test', 'scripts', 'bench'))).toEqual([]);
  });
});

/** A small tree in which nothing is wrong. */
const sound: Readonly<Record<string, string>> = {
  'src/errors.ts': `export class GcError extends Error {}`,
  'src/kube/name.ts': `export const name = 'web';`,
  'src/snapshot/snapshot.ts': `import { name } from '../kube/name.ts';\nexport const snapshot = { name };`,
  'src/graph/graph.ts': `import { snapshot } from '../snapshot/snapshot.ts';\nexport const graph = snapshot;`,
  'src/reporters/table.ts': `import { Chalk } from 'chalk';\nimport Table from 'cli-table3';\nexport { Chalk, Table };`,
  'src/client/connect.ts': `import { KubeConfig } from '@kubernetes/client-node';\nexport type Client = KubeConfig;`,
  'src/sources/from-cluster.ts': `import type { Client } from '../client/connect.ts';\nimport { readFile } from 'node:fs/promises';\nexport const open = async (client: Client) => [client, readFile, await import('../client/connect.ts')];`,
  'src/cli/streams.ts': `export const writeOut = (text: string) => process.stdout.write(text);`,
  'src/cli/progress.ts': `export const spin = async () => (await import('ora')).default({ stream: process.stderr });`,
  'src/cli/package-json.ts': `import manifest from '../../package.json' with { type: 'json' };\nexport { manifest };`,
  'src/cli/plugin.ts': `import { commands } from '../commands/index.ts';\nexport { commands };`,
  'src/commands/index.ts': `export const commands = { tree: () => import('./tree.ts') };`,
  'src/commands/tree.ts': `import { Flags } from '@oclif/core/flags';\nimport { GcError } from '../errors.ts';\nimport { graph } from '../graph/graph.ts';\nexport default { Flags, GcError, graph };`,
  'src/index.ts': `export { graph } from './graph/graph.ts';`,
  'src/main.ts': `import { run } from '@oclif/core/run';\nimport { commands } from './cli/plugin.ts';\nexport const main = () => run(Object.keys(commands));`,
  'test/graph/graph.test.ts': `import { graph } from '../../src/graph/graph.ts';\nexport { graph };`,
};

/** The sound tree with these files added or replaced. */
function planted(...files: readonly (readonly [path: string, text: string])[]): string[] {
  return violationsOf(new Map([...Object.entries(sound), ...files]));
}

describe('the check', () => {
  it('finds nothing in a sound tree', () => {
    expect(planted()).toEqual([]);
  });

  it.each([
    [
      'src/kube/up.ts',
      `import { graph } from '../graph/graph.ts'; export { graph };`,
      'src/kube/up.ts imports src/graph/graph.ts: kube is not above graph',
    ],
    [
      'src/graph/up.ts',
      `export { Chalk } from '../reporters/table.ts';`,
      'src/graph/up.ts imports src/reporters/table.ts: graph is not above reporters',
    ],
    [
      'src/snapshot/up.ts',
      `import type { Graph } from '../graph/graph.ts'; export type { Graph };`,
      'src/snapshot/up.ts imports src/graph/graph.ts: snapshot is not above graph',
    ],
    [
      'src/rules/up.ts',
      `export type Open = typeof import('../sources/from-cluster.ts');`,
      'src/rules/up.ts imports src/sources/from-cluster.ts: rules is not above sources',
    ],
    [
      'src/reports/up.ts',
      `export const later = () => import('../reporters/table.ts');`,
      'src/reports/up.ts imports src/reporters/table.ts: reports is not above reporters',
    ],
    [
      'src/executor/up.ts',
      `export * from '../graph/graph.ts';`,
      'src/executor/up.ts imports src/graph/graph.ts: executor is not above graph',
    ],
    [
      'src/cli/up.ts',
      `import '../commands/tree.ts';`,
      'src/cli/up.ts imports src/commands/tree.ts: cli is not above commands',
    ],
    [
      'src/cli/top.ts',
      `import { main } from '../main.ts'; export { main };`,
      'src/cli/top.ts imports src/main.ts: cli is not above main.ts',
    ],
    [
      'src/errors.ts',
      `import { name } from './kube/name.ts'; export { name };`,
      'src/errors.ts imports src/kube/name.ts: errors.ts is not above kube',
    ],
    [
      'src/commands/owners.ts',
      `import tree from './tree.ts'; export default tree;`,
      'src/commands/owners.ts imports src/commands/tree.ts: commands stand alone',
    ],
    [
      'src/sources/eager.ts',
      `import { connect } from '../client/connect.ts'; export { connect };`,
      'src/sources/eager.ts imports src/client/connect.ts at its top: client is loaded by import() or for types',
    ],
    [
      'src/sources/half.ts',
      `import { type Client } from '../client/connect.ts'; export type { Client };`,
      'src/sources/half.ts imports src/client/connect.ts at its top: client is loaded by import() or for types',
    ],
    [
      'src/index.ts',
      `export { connect } from './client/connect.ts';`,
      'src/index.ts imports src/client/connect.ts at its top: client is loaded by import() or for types',
    ],
    [
      'src/kube/test.ts',
      `import '../../test/graph/graph.test.ts';`,
      'src/kube/test.ts imports test/graph/graph.test.ts, outside src',
    ],
    [
      'src/kube/json.ts',
      `import manifest from '../../package.json' with { type: 'json' }; export { manifest };`,
      'src/kube/json.ts imports package.json, outside src',
    ],
    [
      'src/graph/gone.ts',
      `import './nowhere.ts';`,
      'src/graph/gone.ts imports src/graph/nowhere.ts, which is not there',
    ],
    [
      'src/cli/any.ts',
      `export const load = (name: string) => import(name);`,
      'src/cli/any.ts has an import() of something other than a plain string',
    ],
    [
      'src/services/list.ts',
      `export {};`,
      'src/services/list.ts is in no folder of the table in layers.ts',
    ],
    ['src/stray.ts', `export {};`, 'src/stray.ts is in no folder of the table in layers.ts'],
  ])('catches an import against the layers: %s', (path, text, problem) => {
    expect(planted([path, text])).toEqual([problem]);
  });

  it.each([
    ['src/sources/k8s.ts', '@kubernetes/client-node'],
    ['src/cli/colour.ts', 'chalk'],
    ['src/commands/print.ts', 'cli-table3'],
    ['src/commands/wait.ts', 'ora'],
    ['src/graph/parse.ts', 'yaml'],
    ['src/reporters/flags.ts', '@oclif/core'],
    ['src/cli/guess.ts', 'left-pad'],
    ['src/index.ts', 'yaml'],
  ])('catches a package where it does not belong: %s', (path, name) => {
    expect(planted([path, `import '${name}/deep';`])).toEqual([
      `${path} imports the package ${name}`,
    ]);
  });

  it.each([
    ['reading files', `import 'node:fs';`, 'imports the package node'],
    ['the environment', `export const home = process.env.HOME;`, 'uses process, but kube is pure'],
    ['the clock', `export const now = () => Date.now();`, 'uses Date.now(), but kube is pure'],
    [
      'a date of today',
      `export const now = () => new Date();`,
      'uses new Date(), but kube is pure',
    ],
    ['a date as text', `export const now = () => Date();`, 'uses Date(), but kube is pure'],
    ['chance', `export const dice = () => Math.random();`, 'uses Math.random(), but kube is pure'],
    ['a timer', `setTimeout(() => undefined, 5);`, 'uses setTimeout, but kube is pure'],
    [
      'the network',
      `export const get = () => fetch('http://localhost');`,
      'uses fetch, but kube is pure',
    ],
    [
      'a stopwatch',
      `export const at = () => performance.now();`,
      'uses performance, but kube is pure',
    ],
    [
      'globals by another door',
      `export const clock = globalThis['Date'];`,
      'uses globalThis, but kube is pure',
    ],
    [
      'the module itself',
      `export const here = import.meta.url;`,
      'uses import.meta, but kube is pure',
    ],
    ['a shorthand', `export const all = { process };`, 'uses process, but kube is pure'],
    [
      'the locale',
      `export const order = (a: string) => a.localeCompare('b');`,
      'uses localeCompare(), but kube is pure',
    ],
    [
      'formats of a country',
      `export const n = new Intl.NumberFormat();`,
      'uses Intl, but kube is pure',
    ],
  ])('catches impurity: %s', (_, text, problem) => {
    expect(planted(['src/kube/impure.ts', text])).toEqual([`src/kube/impure.ts ${problem}`]);
  });

  it.each([
    ['a date that was given', `export const at = new Date(0);`],
    [
      'a property named like a global',
      `export const a = { process: 1, fetch() {} }; export const b = a.process;`,
    ],
    ['a field named like a global', `export interface A { console: string; performance(): void }`],
    [
      'words in comments and texts',
      `/* process.env */ export const text = 'Date.now()'; // fetch()`,
    ],
    ['a regular expression', `export const pattern = /import 'x' process/;`],
  ])('takes no offence at %s', (_, text) => {
    expect(planted(['src/kube/pure.ts', text])).toEqual([]);
  });

  it.each([
    ['console', `console.log('x');`],
    ['stdout.write()', `process.stdout.write('x');`],
    ['stderr.write()', `const { stderr } = process; stderr.write('x');`],
    ['stdout.end()', `process.stdout.end();`],
    ['pipe(stdout)', `process.stdin.pipe(process.stdout);`],
    ['writeFileSync(1)', `import { writeFileSync } from 'node:fs'; writeFileSync(1, 'x');`],
    ['this.log()', `export class Command { log() {} run() { this.log(); } }`],
  ])('catches a second writer: %s', (write, text) => {
    expect(planted(['src/cli/loud.ts', text])).toEqual([
      `src/cli/loud.ts writes with ${write}; only src/cli/streams.ts does`,
    ]);
  });

  it.each([
    ['a template', `export const line = (name: string) => \`kubectl delete pod \${name}\`;`],
    ['a tag', `export const line = (name: string) => String.raw\`kubectl delete pod \${name}\`;`],
    ['a sum', `export const line = (name: string) => 'kubectl delete pod ' + name;`],
    ['concat()', `export const line = (name: string) => 'kubectl delete pod '.concat(name);`],
  ])('catches a command whose words are not quoted: %s', (_, text) => {
    expect(planted(['src/rules/prints.ts', text])).toEqual([
      'src/rules/prints.ts prints "kubectl delete pod {}" without shellCommand',
    ]);
  });

  it.each([
    [
      'words that are quoted',
      `export const line = (name: string) => \`Do this: \${shellCommand\`kubectl delete pod \${name}\`}\`;`,
    ],
    [
      'nothing to quote',
      `export const help = (who: string) => \`\${who}: see kubectl auth whoami\`;`,
    ],
  ])('lets a command be printed with %s', (_, text) => {
    expect(planted(['src/rules/prints.ts', text])).toEqual([]);
  });

  it('lets a stream be looked at and a child be written to', () => {
    const text = `export const quiet = (child: any) => [process.stdout.isTTY, child.stdin.end('x')];`;
    expect(planted(['src/cli/quiet.ts', text])).toEqual([]);
  });

  it('catches files that import each other in a circle', () => {
    const problems = planted(
      ['src/graph/a.ts', `import './b.ts';`],
      ['src/graph/b.ts', `import type { C } from './c.ts'; export type B = C;`],
      ['src/graph/c.ts', `export { type B as C } from './a.ts';`],
    );
    expect(problems).toEqual([
      'these files import each other in a circle: src/graph/a.ts → src/graph/b.ts → src/graph/c.ts → src/graph/a.ts',
    ]);
  });

  it('catches a file that grew too long, and a folder that says nothing', () => {
    const problems = planted(
      ['src/graph/long.ts', '\n'.repeat(301)],
      ['src/graph/full.ts', '\n'.repeat(300)],
      ['test/utils/things.ts', ''],
      ['src/kube/helpers/things.ts', ''],
    );
    expect(problems).toEqual([
      'src/graph/long.ts has 301 lines, more than 300',
      'test/utils/things.ts: a folder named utils says nothing',
      'src/kube/helpers/things.ts: a folder named helpers says nothing',
    ]);
  });
});

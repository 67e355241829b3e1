import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { commandLineOf, stories } from '../commands/stories.ts';
import { gcHere } from '../support/run-here.ts';
import { type SchemaName, validatorOf } from './schemas.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-documents-'));
afterAll(() => rmSync(folder, { recursive: true }));

const validators = new Map<SchemaName, ReturnType<typeof validatorOf>>();

/** Runs a question with -o json and checks the document against its published schema. */
async function documentOf(line: string): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await gcHere(line);
  expect([line, code], stderr).toEqual([line, 0]);
  const document = JSON.parse(stdout);
  const validate = validators.get(schemaOf(line)) ?? validatorOf(schemaOf(line));
  validators.set(schemaOf(line), validate);
  validate(document);
  expect([line, validate.errors]).toEqual([line, null]);
  return document;
}

function schemaOf(line: string): SchemaName {
  const [word = ''] = line.split(' ');
  if (word === 'delete') return line.includes('--compare') ? 'deletion-comparison' : 'plan';
  return (word === 'snapshot' ? 'snapshot-info' : word) as SchemaName;
}

/** Does -o yaml say the same, to readers of either version of YAML? */
async function expectYaml(line: string, document: unknown): Promise<void> {
  const { stdout } = await gcHere(line);
  expect(parse(stdout, { version: '1.1' })).toEqual(document);
  expect(parse(stdout, { version: '1.2' })).toEqual(document);
}

describe.each(Object.entries(stories))('%s', (cluster, questions) => {
  test.each(questions)('%s: JSON as published, YAML the same', async (question) => {
    const document = await documentOf(commandLineOf(cluster, question, 'json'));
    expect(Object.keys(document).slice(0, 3)).toEqual(['apiVersion', 'kind', 'coverage']);
    await expectYaml(commandLineOf(cluster, question, 'yaml'), document);
  });
});

const example = 'examples/clusters/shop.json.gz';
const questions = [
  'owners all -n shop',
  'owners secrets,configmaps',
  'tree deployments,statefulsets -A',
  'tree namespaces,clusterroles',
  'orphans -A --unmanaged',
  'invalid-ownerrefs -A',
  'snapshot info',
  'simulate --delete deployment/web -n shop --cascade foreground',
  'simulate --delete namespace/payments',
  'delete deployment/web -n shop',
  'delete statefulsets --all -n payments --order leaf-first',
  'delete deployment,statefulset -l app=web --compare',
  'delete namespace/payments --preview',
  'why deployment/web -n shop',
];

describe('the example cluster', () => {
  test.each(questions)('%s: JSON as published, YAML the same', async (question) => {
    const document = await documentOf(`${question} -o json --from ${example}`);
    await expectYaml(`${question} -o yaml --from ${example}`, document);
  });

  test.each(questions)('%s: the order of the input does not show', async (question) => {
    const saved = JSON.parse(gunzipSync(readFileSync(example)).toString());
    const path = join(folder, 'cluster.json');
    const documents: unknown[] = [];
    for (const objects of [saved.objects, saved.objects.toReversed(), shuffled(saved.objects)]) {
      writeFileSync(path, JSON.stringify({ ...saved, objects }));
      const { code, stdout } = await gcHere(`${question} -o json --from ${path}`);
      expect(code).toBe(0);
      documents.push(stdout);
    }
    expect(documents[1]).toBe(documents[0]);
    expect(documents[2]).toBe(documents[0]);
  });
});

/** The same every time: a test must not depend on chance. */
function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item, index) => ({ item, key: (index * 7919) % items.length }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

test('words that mean something else in YAML 1.1 are read back as what they were', async () => {
  const document = await documentOf(
    commandLineOf('yaml-words', 'tree configmap/on -n yes', 'json'),
  );
  const nodes = document.nodes as { name: string; uid: string; finalizers: string[] }[];
  expect(nodes.map(({ name, uid }) => `${name} ${uid}`).sort()).toEqual([
    '017 190:20:30',
    '1-0 1_000',
    '1.0 0b1',
    '2026-01-31 .5',
    'no 1e3',
    'null 0o17',
    'on 0x1f',
    'true =',
    'y <<',
  ]);
  expect(nodes.find(({ name }) => name === 'no')?.finalizers).toEqual(['y', 'n', 'off', '~']);
  await expectYaml(commandLineOf('yaml-words', 'tree configmap/on -n yes', 'yaml'), document);
});

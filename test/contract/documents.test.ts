import { describe, expect, test } from 'vitest';
import { commandLineOf, stories } from '../commands/stories.ts';
import { documentOf, expectYaml } from './published-document.ts';

describe.each(Object.entries(stories))('%s', (cluster, questions) => {
  test.each(questions)('%s: JSON as published, YAML the same', async (question) => {
    const document = await documentOf(commandLineOf(cluster, question, 'json'));
    expect(Object.keys(document).slice(0, 3)).toEqual(['apiVersion', 'kind', 'coverage']);
    await expectYaml(commandLineOf(cluster, question, 'yaml'), document);
  });
});

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

import { afterEach, describe, expect, test } from 'vitest';
import {
  complete,
  valuesOfArguments,
  valuesOfFlag,
} from '../../../src/shell/completion/complete.ts';
import { manifest } from '../../../src/shell/oclif/inlined-manifest.ts';

const asked: string[] = [];
afterEach(() => {
  asked.length = 0;
});

/** A cluster of two types, in which every type has the same two names. */
const lookUp = () => ({
  types: async () => ['pods\tPod', 'deployments.apps\tDeployment'],
  names: async (type: string) => {
    asked.push(`names of ${type}`);
    return ['web', 'worker'];
  },
  values: async (source: string) => {
    asked.push(source);
    return ['web', 'other'];
  },
});

/** What the last word of the line can become; a line that ends in a blank has an empty one. */
async function become(line: string): Promise<string[]> {
  const { candidates, files, unfinished } = await complete(line.split(' '), manifest, lookUp);
  return [
    ...candidates.map((one) => one.replace(/\t.*/, '')),
    ...(files ? ['(files)'] : []),
    ...(unfinished ? ['(more)'] : []),
  ];
}

describe('a word becomes', () => {
  test.each([
    ['tr', ['tree']],
    ['s', ['status', 'simulate', 'settings', 'snapshot']],
    ['-n shop ow', ['owners']],
    ['help re', ['restore', 'report']],
    ['snapshot ', ['save', 'info', 'diff', 'export']],
    ['snapshot i', ['info']],
    ['completion ', []],
    ['tre ', []],
  ])('a command: %s', async (line, expected) => {
    expect(await become(line)).toEqual(expected);
  });

  test.each([
    ['tree --sel', ['--selector']],
    ['tree -l a=b --sel', []],
    ['tree --from a --fro', ['--from']],
    ['--cont', ['--context']],
    ['--scen', []],
    ['simulate --scen', ['--scenario']],
    ['tree --hel', ['--help']],
    ['tree -- --sel', []],
  ])('completes flags: %s', async (line, expected) => {
    expect(await become(line)).toEqual(expected);
  });

  test.each([
    ['tree -o j', ['json']],
    ['tree --output=j', ['json']],
    ['tree -o=j', ['json']],
    ['audit -o sa', ['sarif']],
    ['delete --cascade=or', ['orphan']],
    ['delete --wait=', ['true', 'false', 'object', 'tree']],
    ['tree --no-color=', ['true', 'false']],
    ['tree --kubeconfig ', ['(files)']],
    ['tree --from=', ['(files)']],
    ['delete --plan ', ['(files)']],
    ['tree --token ', []],
    ['tree --nowhere=', []],
  ])('completes values of flags: %s', async (line, expected) => {
    expect(await become(line)).toEqual(expected);
  });

  test.each([
    ['tree -n we', 'names of namespaces'],
    ['-n we', 'names of namespaces'],
    ['tree --context=we', 'contexts'],
    ['tree --cluster we', 'clusters'],
    ['tree --user we', 'users'],
    ['audit --skip-rule we', 'rules'],
    ['forecast --collector we', 'collectors'],
    ['simulate --delete-node we', 'names of nodes'],
    ['images we', 'names of nodes'],
  ])('completes looked-up values: %s', async (line, source) => {
    expect(await become(line)).toEqual(['web']);
    expect(asked).toEqual([source]);
  });

  test.each([
    ['tree ', ['pods', 'deployments.apps']],
    ['tree pods w', ['web', 'worker']],
    ['tree pods web ', ['worker']],
    ['tree po/we', ['po/web']],
    ['tree po/web d', ['deployments.apps/', '(more)']],
    ['delete po w', ['web', 'worker']],
    ['simulate --delete=po/we', ['po/web']],
    ['snapshot diff --kind po', ['pods']],
    ['orphans po', ['pods']],
    ['orphans pods d', ['deployments.apps']],
  ])('completes types and names: %s', async (line, expected) => {
    expect(await become(line)).toEqual(expected);
  });

  test('a file, where the command takes files', async () => {
    expect(await become('snapshot info ')).toEqual(['(files)']);
    expect(await become('snapshot diff a.json ')).toEqual(['(files)']);
    expect(await become('restore ')).toEqual(['(files)']);
    expect(asked).toEqual([]);
  });
});

test('every command completes its arguments as its usage names them', () => {
  const told = Map.groupBy(manifest, (command) => {
    const values = valuesOfArguments(command);
    return typeof values === 'string' ? values : 'list';
  });
  const idsOf = (all: typeof manifest) =>
    all
      .map(({ id }) => id)
      .sort()
      .join(' ');
  const names = [...told].map(([from, all]) => [from, idsOf(all)]);
  expect(Object.fromEntries(names)).toEqual({
    types: 'audit invalid-ownerrefs orphans',
    files: 'backups restore snapshot:diff snapshot:export snapshot:info snapshot:save',
    nowhere:
      'completion forecast guard mcp options podgc-preview policies report run-controllers status version',
    nodes: 'containers images settings',
    objects: 'delete deleted owners simulate tree view why',
    list: 'rbac',
  });
});

test('every flag whose help lists its values has them completed', () => {
  const listed = manifest
    .flatMap(({ flags }) => Object.values(flags))
    .filter((flag) => flag.type === 'option' && /^[a-z-]+\|/.test(String(flag.helpValue)));
  expect(listed.length).toBeGreaterThan(20);
  expect(listed.filter((flag) => typeof valuesOfFlag(flag) === 'string')).toEqual([]);
});

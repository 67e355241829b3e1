import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { apiPath, objectPath, pathWithin } from '../../src/cluster/api-path.ts';
import { parseTargets } from '../../src/command-line/type-argument.ts';
import { isPathSegment, refuseInvalid, segmentFault } from '../../src/kube/names.ts';
import { pod, servedTypes } from '../support/builders.ts';

/** Names that lead elsewhere, and what kubectl says of them. */
const wrong: readonly [string, string][] = [
  ['.', `[may not be '.']`],
  ['..', `[may not be '..']`],
  ['a/b', `[may not contain '/']`],
  ['../secrets/s', `[may not contain '/']`],
  ['%2e%2e', `[may not contain '%']`],
  ['a/b%', `[may not contain '/' may not contain '%']`],
  ['\ud800', '[must be valid Unicode]'],
];

const type = pod('web').type;

function thrown(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    const { code, exitCode, message } = error as {
      code: string;
      exitCode: number;
      message: string;
    };
    return [code, exitCode, message];
  }
}

describe.each(wrong)('%j', (name, faults) => {
  const told = `invalid resource name ${JSON.stringify(name)}: ${faults}`;

  test('is reported as kubectl does', () => {
    expect([isPathSegment(name), segmentFault('resource name', name)]).toEqual([false, told]);
  });

  test('is wrong usage on the command line', () => {
    expect(thrown(() => refuseInvalid('resource name', name))).toEqual(['invalid-path', 2, told]);
    // With a slash the argument is another form, which has faults of its own.
    if (!name.includes('/')) {
      expect(thrown(() => parseTargets(['pods', 'web', name], servedTypes))).toEqual([
        'invalid-path',
        2,
        told,
      ]);
    }
  });

  test('is in no path, wherever it stands', () => {
    const paths = [
      () => objectPath(type, 'shop', name),
      () => objectPath(type, name, 'web'),
      () => objectPath(type, name),
      () => objectPath({ ...type, resource: name }, 'shop', 'web'),
      () => objectPath({ ...type, group: name }, 'shop', 'web'),
      () => objectPath({ ...type, version: name }, 'shop', 'web'),
      () => pathWithin(type, name, 'web'),
      () => apiPath('api', 'v1', 'nodes', name, 'proxy'),
    ];
    const words = ['resource name', 'namespace', 'namespace', 'path segment', 'path segment'];
    expect(paths.map(thrown)).toEqual(
      [...words, 'path segment', 'namespace', 'path segment'].map((role) => [
        'invalid-path',
        3,
        `invalid ${role} ${JSON.stringify(name)}: ${faults}`,
      ]),
    );
  });
});

test.each(['..web', 'a..b', '...', 'system:node', 'a b', 'ä', 'x?y#z'])('%j is a name', (name) => {
  expect([isPathSegment(name), new URL(`http://h${apiPath('api', name)}`).pathname]).toEqual([
    true,
    `/api/${encodeURIComponent(name)}`,
  ]);
});

test('a pair of type and name is refused too, and other arguments keep their error', () => {
  expect(thrown(() => parseTargets(['pod/..'], servedTypes))).toEqual([
    'invalid-path',
    2,
    `invalid resource name "..": [may not be '..']`,
  ]);
  expect(thrown(() => parseTargets(['pod/../web'], servedTypes))).toEqual([
    'usage',
    2,
    'arguments in resource/name form may not have more than one slash: pod/../web',
  ]);
});

test('an empty name would be the path of all objects', () => {
  expect(thrown(() => objectPath(type, 'shop', ''))).toEqual([
    'invalid-path',
    3,
    'resource name may not be empty',
  ]);
  expect(thrown(() => apiPath('api', ''))).toEqual([
    'invalid-path',
    3,
    expect.stringMatching(/^a path segment may not be empty/),
  ]);
});

test('API paths are built in one file', () => {
  const own = /`[^`]*\/apis?\/(?:[^`?]*\/)?\$\{|\/\$\{encodeURIComponent/;
  const makers = globSync('src/**/*.ts').filter((file) => own.test(readFileSync(file, 'utf8')));
  expect(makers).toEqual([]);
});

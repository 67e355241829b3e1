import { describe, expect, test } from 'vitest';
import { gapLines, gapWarnings } from '../../src/output/gap-lines.ts';
import type { CoverageProblem } from '../../src/snapshot/coverage.ts';

/** A kind that the API server does not let a user list. */
function forbidden(resource: string, namespace?: string, user = 'dev'): CoverageProblem {
  const place =
    namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return {
    reason: 'forbidden',
    message: `cannot list ${resource}: ${resource} is forbidden: User "${user}" cannot list resource "${resource}" in API group "" ${place}`,
    resource,
    apiVersion: 'v1',
    ...(namespace !== undefined && { namespace }),
  };
}

const broken = (resource: string): CoverageProblem => ({
  reason: 'unavailable',
  message: `cannot list ${resource}: conversion webhook for ${resource} failed`,
  resource,
  apiVersion: 'example.com/v1',
});
const undiscovered = (apiVersion: string): CoverageProblem => ({
  reason: 'discovery-failed',
  message: `the kinds of the API ${apiVersion} are unknown: it does not answer`,
  apiVersion,
});
const document = (line: number): CoverageProblem => ({
  reason: 'no-uid',
  message: `a.yaml:${line}: it has no uid`,
  resource: 'pods',
  path: 'a.yaml',
  line,
});

const tree = { command: ['tree'] };

describe('what a user may not list', () => {
  test('is one sentence for 61 kinds, with those that people look for first', () => {
    const many = Array.from({ length: 59 }, (_, index) => `kind${index}.example.com`);
    const problems = [...many, 'nodes', 'secrets'].map((one) => forbidden(one));
    expect(gapLines(problems, tree).join('\n')).toMatchInlineSnapshot(`
      "dev may not list 61 kinds, secrets and nodes among them
      To print the role: kubectl gc rbac tree"
    `);
  });

  test('says where, and counts a kind once', () => {
    const inShop = ['secrets', 'leases', 'pods'].map((one) => forbidden(one, 'shop'));
    expect(gapLines(inShop, tree).join('\n')).toMatchInlineSnapshot(`
      "dev may not list 3 kinds in namespace shop, secrets and pods among them
      To print the role: kubectl gc rbac tree"
    `);
    expect(
      gapLines([forbidden('secrets', 'shop'), forbidden('secrets', 'bank')], tree).join('\n'),
    ).toMatchInlineSnapshot(`
      "dev may not list secrets in 2 namespaces
      To print the role: kubectl gc rbac tree"
    `);
    expect(
      gapLines([forbidden('nodes'), forbidden('secrets', 'bank')]).join('\n'),
    ).toMatchInlineSnapshot(`"dev may not list secrets and nodes"`);
    const two = [forbidden('leases', 'shop'), forbidden('widgets.example.com', 'shop')];
    expect(gapLines(two, { command: ['snapshot', 'save'] }).join('\n')).toMatchInlineSnapshot(`
      "dev may not list leases and widgets.example.com in namespace shop
      To print the role: kubectl gc rbac snapshot save"
    `);
  });

  test('names no user where the server does not, and says read where more than lists were refused', () => {
    const get: CoverageProblem = { ...forbidden('nodes'), message: 'cannot get nodes/a: 403' };
    const toKubelets = ['leases', 'pods', 'nodes/proxy'].map((one) => forbidden(one));
    const lines = [
      ...gapLines([{ ...forbidden('pods'), message: 'cannot list pods: 401' }, get]),
      ...gapLines(toKubelets.map((one) => ({ ...one, message: 'cannot ask' }))),
    ];
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "you may not read nodes and pods
      you may not read 3 kinds, nodes/proxy and pods among them"
    `);
  });

  test('is the word of the server where it is one thing', () => {
    const one = forbidden('secrets', 'shop');
    expect(gapLines([one], tree)).toEqual([one.message]);
  });
});

test('every reason has its line, in the order in which they were met, and documents have one each', () => {
  const problems = [
    broken('a.example.com'),
    forbidden('pods'),
    undiscovered('x.example.com/v1'),
    document(1),
    broken('b.example.com'),
    forbidden('nodes'),
    undiscovered('y.example.com/v1'),
    broken('c.example.com'),
    undiscovered('z.example.com/v1'),
    document(7),
  ];
  expect(gapLines(problems).join('\n')).toMatchInlineSnapshot(`
    "cannot read 3 kinds, a.example.com and b.example.com among them: cannot list a.example.com: conversion webhook for a.example.com failed
    dev may not list nodes and pods
    cannot read 3 APIs, x.example.com/v1 and y.example.com/v1 among them: the kinds of the API x.example.com/v1 are unknown: it does not answer
    a.yaml:1: it has no uid
    a.yaml:7: it has no uid"
  `);
  expect(gapLines(problems, { wantsAll: true })).toEqual(problems.map(({ message }) => message));
});

test('kinds share a line where they have a reason in common, and each other reason is printed', () => {
  const cut = {
    ...broken('b.example.com'),
    message: 'cannot list b.example.com: connection reset',
  };
  expect(gapLines([broken('a.example.com'), cut, broken('c.example.com')])).toEqual([
    'cannot read a.example.com and c.example.com: cannot list a.example.com: conversion webhook for a.example.com failed',
    'cannot list b.example.com: connection reset',
  ]);
});

test('beside a preview, three warnings are printed and cut, and the others counted', () => {
  const problems = Array.from({ length: 5 }, (_, index) => ({
    ...document(index),
    message: `${index}: ${'no '.repeat(100)}`,
  }));
  const missing: CoverageProblem = { reason: 'not-in-input', message: '', resource: 'leases' };
  const warnings = gapWarnings([...problems, missing], {}, true);
  expect(warnings.map((one) => one.slice(0, 12))).toEqual([
    ...['Warning: 0: ', 'Warning: 1: ', 'Warning: 2: '],
    ...['Warning: 2 m', 'Warning: mor'],
  ]);
  expect(Math.max(...warnings.slice(0, 4).map(({ length }) => length))).toBeLessThan(160);
  expect(gapWarnings(problems, {})).toHaveLength(5);
});

test('clusters are listed one by one', () => {
  const of = (cluster: string) => ['pods', 'nodes'].map((one) => ({ ...forbidden(one), cluster }));
  expect(gapLines([...of('east'), ...of('west')]).join('\n')).toMatchInlineSnapshot(`
    "east: dev may not list nodes and pods
    west: dev may not list nodes and pods"
  `);
});

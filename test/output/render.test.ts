import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findInvalidReferences } from '../../src/audit/invalid-references.ts';
import { invalidReferencesReport } from '../../src/output/documents/invalid-references.ts';
import { orphansReport } from '../../src/output/documents/orphans.ts';
import { treeReport } from '../../src/output/documents/owners-and-tree.ts';
import { snapshotInfo } from '../../src/output/documents/snapshot-info.ts';
import {
  type Format,
  formatOf,
  graphFormats,
  listFormats,
  type Report,
  render,
} from '../../src/output/render.ts';
import type { RenderOptions } from '../../src/output/style.ts';
import { deployment, graphOf, ownedBy, ownedByGone, pod } from '../support/builders.ts';

const plain: RenderOptions = { colour: false, width: undefined, now: 0 };
const web = deployment('web');
const both = [ownedByGone('v1 Secret a'), ownedByGone('v1 Secret b')];
const graph = graphOf([
  web,
  pod('web-1', { ownerReferences: [ownedBy(web)] }),
  pod('p', { ownerReferences: both }),
]);
const reports: readonly Report[] = [
  treeReport(graph, [web]),
  orphansReport(graph),
  invalidReferencesReport(graph, findInvalidReferences(graph)),
  snapshotInfo(graph.snapshot),
];

describe.each(reports)('a document of kind $kind', (report) => {
  const plainData = JSON.parse(JSON.stringify(report));

  test('is the same in JSON and in YAML', async () => {
    expect(JSON.parse(await render(report, 'json', plain))).toEqual(plainData);
    expect(parse(await render(report, 'yaml', plain))).toEqual(plainData);
  });

  test('ends every format with a line, and has no colours unless asked for', async () => {
    const formats: readonly Format[] = report.kind === 'Tree' ? graphFormats : listFormats;
    for (const format of formats) {
      const text = await render(report, format, plain);
      expect([format, text.endsWith('\n'), text.includes('\u001b')]).toEqual([format, true, false]);
    }
  });
});

test('names are those of the objects, each once', async () => {
  const names = await Promise.all(reports.map((report) => render(report, 'name', plain)));
  expect(names).toEqual([
    'deployment.apps/web\npod/web-1\n',
    'pod/p\n',
    'pod/p\n',
    'deployments.apps\npods\n',
  ]);
});

test('a graph has formats of its own', async () => {
  const [tree] = reports;
  if (!tree) throw new Error('a tree is among the reports');
  const firstLine = async (format: Format) => (await render(tree, format, plain)).split('\n')[0];
  expect(await Promise.all(graphFormats.map(firstLine))).toEqual([
    'NAME                     READY   STATUS   AGE         REMARKS',
    expect.stringMatching(
      /^NAMESPACE {3}NAME {13}READY {3}STATUS {3}AGE {9}REMARKS {3}REFERENCE {3}BLOCKS {3}GC +UID +REASON$/,
    ),
    '{',
    'apiVersion: kubectl-gc/v1',
    'deployment.apps/web',
    'Deployment/web -n shop',
    'digraph tree {',
    'graph TD',
    expect.stringMatching(/^<svg /),
    '<!doctype html>',
  ]);
});

describe('-o', () => {
  test.each(graphFormats)('%s is known', (format) => {
    expect(formatOf(format, graphFormats)).toBe(format);
  });

  test('dot is none of a list', () => {
    expect(() => formatOf('dot', listFormats)).toThrow(
      expect.objectContaining({
        message: 'unable to match a printer suitable for the output format "dot"',
        exitCode: 2,
        suggestions: ['Allowed formats are: table, wide, json, yaml, name.'],
      }),
    );
  });
});

import { expect, test } from 'vitest';
import { treeReport } from '../../src/output/documents/owners-and-tree.ts';
import { type Format, graphFormats, render } from '../../src/output/render.ts';
import type { RenderOptions } from '../../src/output/style.ts';
import { deployment, graphOf, ownedBy, pod } from '../support/builders.ts';

const plain: RenderOptions = { colour: false, width: undefined, now: 0 };
const web = deployment('web');
const tree = treeReport(graphOf([web, pod('web-1', { ownerReferences: [ownedBy(web)] })]), [web]);

test('a graph has formats of its own', async () => {
  const firstLine = async (format: Format) => {
    const text = await render(tree, format, plain);
    expect([format, text.endsWith('\n'), text.includes('\u001b')]).toEqual([format, true, false]);
    return text.split('\n')[0];
  };
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

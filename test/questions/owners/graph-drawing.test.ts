import { expect, test } from 'vitest';
import { treeReport } from '../../../src/questions/owners/document.ts';
import { graphDot, graphMermaid } from '../../../src/questions/owners/graph-drawing.ts';
import { clusterRole, graphOf } from '../../support/builders.ts';

test('a name cannot break out of its label', () => {
  const odd = clusterRole('a"b\\c<i>#1&\n\u001b');
  const tree = treeReport(graphOf([odd]), [odd]);
  expect(graphDot(tree)).toContain('n0 [label="ClusterRole/a\\"b\\\\c<i>#1&^J^["];');
  expect(graphMermaid(tree)).toContain('n0["ClusterRole/a#34;b\\c#60;i#62;#35;1#38;^J^["]');
});

test.each([
  ["%%{init: {'theme':'forest'}}%%", "#37;#37;{init: {'theme':'forest'}}#37;#37;"],
  ['$$x^2$$', '#36;#36;x^2#36;#36;'],
  ['fa:fa-ban fab:fa-x', 'fa#58;fa-ban fab#58;fa-x'],
  ['`**bold**`', '#96;**bold**#96;'],
  ['system:node', 'system:node'],
])('Mermaid draws the name %s as it is', (name, spelt) => {
  const tree = treeReport(graphOf([clusterRole(name)]), [clusterRole(name)]);
  expect(graphMermaid(tree)).toBe(`graph TD\n  n0["ClusterRole/${spelt}"]\n`);
});

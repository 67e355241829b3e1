import { expect, test } from 'vitest';
import { ownersReport, treeReport } from '../../../src/output/documents/owners-and-tree.ts';
import { graphDot, graphMermaid } from '../../../src/output/pictures/graph-drawing.ts';
import {
  blocking,
  clusterRole,
  configMap,
  deployment,
  graphOf,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
} from '../../support/builders.ts';

const web = deployment('web', { deleting: 'foreground' });
const rs = replicaSet('web-7d9', { ownerReferences: [ownedBy(web, blocking)] });
const record = pod('web-1', {
  ownerReferences: [
    ownedBy(rs),
    ownedByGone('v1 Node gone'),
    ownedByGone('a.example.com/v1 A b'),
    ownedByGone('v1 Secret vault'),
  ],
});
const report = ownersReport(graphOf([web, rs, record], { unread: ['secrets'] }), [record]);

test('Graphviz shows each class of reference, what blocks and what was not seen', () => {
  expect(graphDot(report)).toBe(`digraph owners {
  rankdir=BT;
  node [shape=box];
  n0 [label="Pod/web-1\\nshop"];
  n1 [label="ReplicaSet/web-7d9\\nshop"];
  n2 [label="Node/gone\\nnot seen", style=dashed];
  n3 [label="A/b\\nshop\\nnot seen", style=dashed];
  n4 [label="Secret/vault\\nshop\\nnot seen", style=dashed];
  n5 [label="Deployment/web\\nshop"];
  n0 -> n1 [color=darkgreen];
  n0 -> n2 [color=red, label="dangling"];
  n0 -> n3 [color=purple, label="unresolvable"];
  n0 -> n4 [color=gray, label="unknown"];
  n1 -> n5 [color=orange, penwidth=2, label="waiting"];
}
`);
});

test('Mermaid does so too, owners first', () => {
  expect(graphMermaid(report)).toBe(`graph TD
  n0["Pod/web-1<br/>shop"]
  n1["ReplicaSet/web-7d9<br/>shop"]
  n2(["Node/gone<br/>not seen"])
  n3(["A/b<br/>shop<br/>not seen"])
  n4(["Secret/vault<br/>shop<br/>not seen"])
  n5["Deployment/web<br/>shop"]
  n1 --> n0
  n2 -->|dangling| n0
  n3 -->|unresolvable| n0
  n4 -->|unknown| n0
  n5 ==>|waiting| n1
`);
});

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

test('an object alone is a graph', () => {
  const alone = configMap('alone');
  const tree = treeReport(graphOf([alone]), [alone]);
  expect([graphDot(tree), graphMermaid(tree)]).toEqual([
    'digraph tree {\n  rankdir=BT;\n  node [shape=box];\n  n0 [label="ConfigMap/alone\\nshop"];\n}\n',
    'graph TD\n  n0["ConfigMap/alone<br/>shop"]\n',
  ]);
});

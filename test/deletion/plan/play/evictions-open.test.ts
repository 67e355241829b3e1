import { expect, test } from 'vitest';
import type { Taint } from '../../../../src/kube/facts/node.ts';
import {
  defaultControllerSettings,
  type SeenSettings,
} from '../../../../src/settings/controller-settings.ts';
import { node, pod } from '../../../support/builders.ts';
import { planned } from '../planned.ts';

const nodeThat = (name: string, status: string, taints: readonly Taint[] = []) =>
  node(name, { facts: { conditions: [{ type: 'Ready', status }], taints } });

/** What is unknown of a deletion of the first unready Node of a zone, of which so many are not ready. */
function unknownBeside(unready: number, settings: SeenSettings, taints: readonly Taint[] = []) {
  const lost = Array.from({ length: unready }, (_, at) => nodeThat(`lost-${at}`, 'False', taints));
  const nodes = [...['a', 'b', 'c', 'd'].map((name) => nodeThat(name, 'True')), ...lost];
  const pods = nodes.map(({ name }) => pod(`on-${name}`, { facts: { nodeName: name } }));
  const plan = planned([...nodes, ...pods], lost.slice(0, 1), {}, {}, { settings });
  return plan.objects.flatMap(({ name, fate }) => (fate === 'unknown' ? name : []));
}

test('Pods of other unready Nodes of a zone may be evicted, where flags were not read', () => {
  expect(unknownBeside(3, {})).toEqual(['on-lost-1', 'on-lost-2']);
});

test('nothing is unknown of a zone in which no flag decides', () => {
  expect(unknownBeside(2, {})).toEqual([]);
});

test('nothing is unknown where the flags were read', () => {
  expect(unknownBeside(3, defaultControllerSettings)).toEqual([]);
});

test('Pods of Nodes that have their taints are evicted anyway', () => {
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' };
  expect(unknownBeside(3, {}, [taint])).toEqual([]);
});

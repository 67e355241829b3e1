import type { ObjectFacts, ObjectRecord } from '../../src/kube/object-record.ts';
import { type Details, node, pod } from '../support/builders.ts';

const start = Date.parse('2026-01-01T00:00:00Z');

/** `a` to `z` in the namespace default, created an hour apart: `podsOf('a Failed, c Failed/Evicted')`. */
export function podsOf(text: string, facts: Partial<ObjectFacts> = {}, details: Details = {}) {
  return text
    .split(', ')
    .filter(Boolean)
    .map((entry, index): ObjectRecord => {
      const [name = '', state = ''] = entry.split(' ');
      const [phase = '', reason] = state.split('/');
      const creationTimestamp = new Date(start + index * 3_600_000).toISOString();
      return pod(name, {
        namespace: 'default',
        creationTimestamp,
        ...details,
        facts: { nodeName: '', phase, ...(reason && { reason }), ...facts },
      });
    });
}

/** A Node that is Ready or not, with taints of out-of-service by their effects. */
export function nodeOf(name: string, ready: string | undefined, taints: string[] = []) {
  return node(name, {
    facts: {
      conditions: ready === undefined ? [] : [{ type: 'Ready', status: ready }],
      taints: taints.map((effect) => ({ key: 'node.kubernetes.io/out-of-service', effect })),
    },
  });
}

import type { Decision } from '../collectors/collector.ts';
import { judge } from '../collectors/garbage-collector/judge.ts';
import { buildGraph } from '../graph/graph.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** What a forecast knows of a decision, whoever takes it. */
export type ForecastDecision = Omit<Decision, 'collector'> & { readonly collector: string };

/** What the garbage collector deletes or changes; it keeps no schedule, and acts as soon as it looks. */
export function ownerDecisions(snapshot: Snapshot, now: number): ForecastDecision[] {
  const graph = buildGraph(snapshot);
  return snapshot.records.flatMap((object): ForecastDecision[] => {
    if (object.ownerReferences.length === 0 || object.uid === '') return [];
    const { action, policy, references, because, rule } = judge(graph, object);
    const base = {
      collector: 'garbage-collector',
      object,
      notBefore: now,
      notAfter: undefined,
      confidence: 'certain' as const,
      because,
      rule,
    };
    if (action === 'delete') {
      const propagationPolicy =
        policy === 'Foreground' ? ('Foreground' as const) : ('Background' as const);
      return [{ ...base, action, options: { uid: object.uid, propagationPolicy } }];
    }
    if (action !== 'patch') return [];
    const solid = references.filter((one) => one.class === 'solid');
    const ownerReferences = solid.map(({ reference }) => reference);
    return [{ ...base, action, patch: { body: { metadata: { ownerReferences } } } }];
  });
}

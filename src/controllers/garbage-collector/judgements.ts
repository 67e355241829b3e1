import type { ObjectRecord } from '../../kube/object-record.ts';
import { isEventType } from '../../kube/resource-type.ts';
import type { ClassifiedReference } from '../../snapshot/graph/classify-reference.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import { classifiedReferences, type Judgement, judgeBy } from './judge.ts';

const judgementsByGraph = new WeakMap<Graph, ReadonlyMap<ObjectRecord, Judgement>>();

/**
 * What the garbage collector does with the objects of a graph, in the snapshot's order, each judged once however
 * many ask. Left out, as nothing can be said about them: objects without references, and those whose only one is
 * honoured and leads to another object that is no Event (GC-22.10).
 */
export function judgementsIn(graph: Graph): ReadonlyMap<ObjectRecord, Judgement> {
  let judgements = judgementsByGraph.get(graph);
  if (!judgements) {
    judgements = judgeAll(graph);
    judgementsByGraph.set(graph, judgements);
  }
  return judgements;
}

function judgeAll(graph: Graph): ReadonlyMap<ObjectRecord, Judgement> {
  const judgements = new Map<ObjectRecord, Judgement>();
  for (const record of graph.unverifiedDependents()) {
    const references = classifiedReferences(graph, record);
    if (isPlain(record, references)) continue;
    judgements.set(record, judgeBy(graph, record, references));
  }
  return judgements;
}

function isPlain(record: ObjectRecord, references: readonly ClassifiedReference[]): boolean {
  const [only, ...others] = references;
  if (only?.class !== 'solid' || others.length > 0) return false;
  const { found } = only;
  if (!found || isEventType(found.type)) return false;
  return found.name !== record.name || found.uid !== record.uid;
}

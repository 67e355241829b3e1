import { type Fields, fieldsOf, textOf } from './json-fields.ts';
import type { NodePieces } from './node-pieces.ts';
import { readPod } from './read-pods.ts';

/** How saved output of runtimes and objects of a cluster belong together. */
export interface MatchedPods {
  /** What a node of the cluster is called here, where its output was saved under another name. */
  readonly calledHere: ReadonlyMap<string, string>;
  /** Nodes by the name of the output that is saved as another node's. */
  readonly misnamed: ReadonlyMap<string, string>;
}

/** A pod never moves, so the uids of its containers tell on which node the runtime was asked. */
export function matchPods(
  nodes: ReadonlyMap<string, NodePieces>,
  objects: readonly Fields[],
): MatchedPods {
  const pods = objects.filter(({ kind }) => kind === 'Pod').map(readPod);
  const nodeOfPod = new Map(pods.map(({ pod, nodeName }) => [pod.uid, nodeName]));
  const inCluster = new Set(nodeOfPod.values());
  for (const { kind, metadata } of objects) {
    if (kind === 'Node') inCluster.add(textOf(fieldsOf(metadata).name));
  }
  const calledHere = new Map<string, string>();
  const misnamed = new Map<string, string>();
  for (const [called, { containers = [], sandboxes = [] }] of nodes) {
    const found = [...containers, ...sandboxes].flatMap(
      ({ podUid }) => nodeOfPod.get(podUid) || [],
    );
    const others = new Set(found.filter((name) => name !== called));
    const [other] = others;
    if (other === undefined) continue;
    const isTaken = nodes.has(other) || calledHere.has(other) || inCluster.has(called);
    if (others.size > 1 || isTaken) misnamed.set(called, other);
    else calledHere.set(other, called);
  }
  return { calledHere, misnamed };
}

/** Takes back what the cluster says of a node whose output is another node's. */
export function withoutPods(pieces: NodePieces, called: string, other: string): void {
  delete pieces.pods;
  const message = `what was saved of node ${called} shows containers of node ${other}: which pods are gone is not told from it`;
  pieces.problems.push({ reason: 'unreadable', message });
}

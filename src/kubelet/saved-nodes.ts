import type { Json } from '../kube/json-value.ts';
import { readEvidence } from '../snapshot/evidence.ts';
import { list } from '../syntax/document-part.ts';
import { type NodeFacts, nodeFacts } from './node-facts.ts';

/** The facts about Nodes in the form of a saved snapshot; unset fields are left out. */
export function encodeNodes(nodes: readonly NodeFacts[]): readonly Json[] {
  return JSON.parse(JSON.stringify(nodes)) as Json[];
}

/** Throws GcError `invalid-snapshot` where saved nodes are none. */
export function decodeNodes(saved: readonly Json[]): readonly NodeFacts[] {
  return readEvidence('nodes', list(nodeFacts), saved);
}

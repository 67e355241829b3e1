import { basename } from 'node:path';
import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { GcError } from '../../errors.ts';
import { fieldsOf, type Json, textOrEmpty } from '../../kube/json-value.ts';
import { compareText } from '../../kube/names.ts';
import type { NodeFacts } from '../../kubelet/node-facts.ts';
import { filesBelow, unreadable } from '../find-inputs.ts';
import { type NodeParts, nodeFactsOf } from './node-facts.ts';
import { readNodeObject } from './read-document.ts';
import { readPod } from './read-pods.ts';
import { readSavedFile, type SavedFile } from './read-saved-file.ts';

export interface FromNodeFilesOptions {
  /** Epoch milliseconds; undefined: when the outputs say that they were taken. */
  readonly now?: number | undefined;
  /** What `-` reads. */
  readonly stdin?: NodeJS.ReadableStream;
}

/**
 * The nodes that saved output of `crictl`, the kubelet and `kubectl get nodes,pods` shows. A file that
 * contains all output of a Node is named after it; otherwise its folder is. Throws when no file is usable.
 */
export async function fromNodeFiles(
  paths: readonly string[],
  { now, stdin }: FromNodeFilesOptions = {},
): Promise<NodeFacts[]> {
  const nodes = new Map<string, NodeParts>();
  const objects: SavedFile['objects'][number][] = [];
  const problems: NodeParts['problems'] = [];
  for (const path of paths) {
    const files = await filesBelow(path);
    const byFolder = Map.groupBy(files, ({ folder }) => folder);
    for (const [folder, inFolder] of byFolder) {
      const saved: SavedFile[] = [];
      for (const { file } of inFolder) saved.push(await readFile(file, stdin));
      for (const one of saved) {
        for (const object of withEmptyNodes(one.objects)) objects.push(object);
      }
      problems.push(...saved.filter((one) => !isOfNode(one)).flatMap(problemsOfFile));
      addFolder(folder, saved.filter(isOfNode), nodes);
    }
  }
  const piecesOf = (name: string): NodeParts => {
    const parts = nodes.get(name) ?? { problems: [] };
    nodes.set(name, parts);
    return parts;
  };
  const { calledHere, misnamed } = matchPods(nodes, objects);
  const alone = soleNode(nodes, objects);
  if (alone) calledHere.set(alone.named, alone.called);
  for (const object of objects) {
    readNodeObject(object, (name) => piecesOf(calledHere.get(name) ?? name));
  }
  for (const [called, other] of misnamed) withoutPods(piecesOf(called), called, other);
  const facts = [...nodes]
    .map(([name, parts]) => nodeFactsOf(name, parts, now))
    .filter(({ images, containers }) => images !== undefined || containers !== undefined);
  if (facts.length === 0) {
    const first = [...nodes.values()].flatMap((parts) => parts.problems)[0];
    throw nothingOfUse(paths, first?.message ?? problems[0]?.message);
  }
  const [first, ...others] = facts.sort((a, b) => compareText(a.node, b.node));
  return first ? [{ ...first, problems: [...problems, ...first.problems] }, ...others] : [];
}

async function readFile(file: string, stdin?: NodeJS.ReadableStream): Promise<SavedFile> {
  try {
    return await readSavedFile(file, stdin);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Files that each hold images, for example, are of different nodes; otherwise a folder is one node. */
function addFolder(
  folder: string,
  files: readonly SavedFile[],
  nodes: Map<string, NodeParts>,
): void {
  const all = files.flatMap(({ kinds }) => [...kinds]);
  const severalNodes = new Set(all).size < all.length;
  const node = files.find(({ parts }) => parts.summary?.node)?.parts.summary?.node;
  for (const file of files) {
    const { parts } = file;
    const isWhole = severalNodes || folder === file.path;
    const own = severalNodes ? parts.summary?.node : node;
    const name = own || nodeNameOf(isWhole ? file.path : folder);
    const known = nodes.get(name);
    const problems = [...(known?.problems ?? []), ...parts.problems];
    nodes.set(name, { ...known, ...parts, problems });
  }
}

/** `nodes/worker-1.txt.gz` → `worker-1`. */
function nodeNameOf(path: string): string {
  const name = basename(path).replace(/(\.(json|txt|log|out|ya?ml|gz|zst))+$/i, '');
  return name === '-' ? 'node' : name;
}

/** Output of one node and one Node object belong together, whatever the file is called. */
function soleNode(
  nodes: ReadonlyMap<string, NodeParts>,
  objects: SavedFile['objects'],
): { readonly called: string; readonly named: string } | undefined {
  const [node, ...others] = objects.filter(({ kind }) => kind === 'Node');
  const [called, ...more] = nodes.keys();
  if (!node || others.length > 0 || called === undefined || more.length > 0) return undefined;
  return { called, named: textOrEmpty(fieldsOf(node.metadata).name) };
}

/** Does it hold something of one node? */
function isOfNode({ kinds, parts }: SavedFile): boolean {
  return kinds.size > 0 || Boolean(parts.disks ?? parts.containerFlags);
}

function problemsOfFile({ path, objects, parts }: SavedFile): NodeParts['problems'] {
  if (parts.problems.length > 0 || objects.length > 0) return parts.problems;
  const message = `${path} does not list the images or containers of a node`;
  return [{ reason: 'unknown-kind', message, path }];
}

function nothingOfUse(paths: readonly string[], why: string | undefined): GcError {
  const because = why === undefined ? '' : `: ${why}`;
  return new GcError(
    `no node's images or containers could be read from ${paths.join(', ')}${because}`,
    {
      code: 'unreadable-input',
      suggestions: [
        'Save them on the node: { crictl images -o json; crictl ps -a -o json; crictl pods -o json; crictl imagefsinfo -o json; } > NODE.json',
        'Or save what the API server knows in a file.',
        suggested('It prints that with', shellCommand`kubectl get nodes,pods -A -o json`),
      ],
    },
  );
}

/** Nodes that were listed together with pods, but have none, are known to have none. */
function withEmptyNodes(objects: SavedFile['objects']): SavedFile['objects'] {
  if (!objects.some(({ kind }) => kind === 'Pod')) return objects;
  return objects.map((one) => (one.kind === 'Node' ? { ...one, listsPods: true } : one));
}

/**
 * A pod never moves, so the uids of its containers show on which node the runtime was asked.
 * `calledHere`: what a node of the cluster is called here, where its output was saved under another
 * name; `misnamed`: nodes by the name of the output that is saved as another node's.
 */
function matchPods(nodes: ReadonlyMap<string, NodeParts>, objects: readonly Json[]) {
  const pods = objects.filter(({ kind }) => kind === 'Pod').map(readPod);
  const nodeOfPod = new Map(pods.map(({ pod, nodeName }) => [pod.uid, nodeName]));
  const inCluster = new Set(nodeOfPod.values());
  for (const { kind, metadata } of objects) {
    if (kind === 'Node') inCluster.add(textOrEmpty(fieldsOf(metadata).name));
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

/** Removes the cluster's data of a Node whose saved output belongs to another Node. */
function withoutPods(parts: NodeParts, called: string, other: string): void {
  delete parts.pods;
  const message = `the saved output of node ${called} lists containers of node ${other}: it does not show which Pods were deleted`;
  parts.problems.push({ reason: 'unreadable', message });
}

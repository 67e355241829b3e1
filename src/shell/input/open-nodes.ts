import { fromNodeProxy } from '../../cluster/from-node-proxy.ts';
import { GcError, usageError } from '../../errors.ts';
import { fromNodeFiles } from '../../files/nodes/from-node-files.ts';
import { parseLabelSelector } from '../../kube/label-selector.ts';
import { shellCommand, suggested } from '../../kube/shell-command.ts';
import { isNode } from '../../kube/well-known-kinds.ts';
import type { NodeFacts } from '../../kubelet/node-facts.ts';
import { decodeNodes } from '../../kubelet/saved-nodes.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { NodeFlags } from '../flags/node-flags.ts';
import { withProgress } from '../terminal/progress.ts';
import { timeOf } from './clock.ts';
import { openSaved } from './read-files.ts';
import type { Session } from './session.ts';

export async function openNodes(
  flags: NodeFlags,
  names: readonly string[],
  session: Session,
  { kubeletStart = false }: { readonly kubeletStart?: boolean } = {},
): Promise<readonly NodeFacts[]> {
  if (names.length > 0 && (flags.all || flags.selector !== undefined)) {
    throw usageError('name nodes, or pass --all or -l, but not both');
  }
  const now = timeOf(flags)?.getTime();
  if (flags.from) {
    const saved = await openSaved(flags, flags.from, session);
    return saved
      ? inSnapshot(saved, flags, names, { now, kubeletStart })
      : fromFiles(flags, flags.from, names, now);
  }
  if (names.length === 0 && !flags.all && flags.selector === undefined) {
    throw usageError('You must name the nodes.', [
      'Name them, or pass --all or -l.',
      suggested('To list them', shellCommand`kubectl get nodes`),
    ]);
  }
  const client = await session.client();
  const { selector } = flags;
  return withProgress('Reading nodes', (progress) => {
    const onProgress = (done: number, total: number) =>
      progress.update(`Reading nodes: ${done} of ${total}`);
    return fromNodeProxy(client, { names, selector }, { now, kubeletStart, onProgress });
  });
}

/** The nodes as their kubelets described them when the snapshot was saved. */
function inSnapshot(
  { records, evidence }: Snapshot,
  { selector }: NodeFlags,
  names: readonly string[],
  { now, kubeletStart }: { readonly now: number | undefined; readonly kubeletStart: boolean },
): readonly NodeFacts[] {
  if (!evidence?.nodes) {
    throw new GcError('the snapshot does not hold what kubelets know of their nodes', {
      code: 'nodes-not-saved',
      suggestions: ['Save it again with --nodes, which asks the kubelets.'],
    });
  }
  const saved = decodeNodes(evidence.nodes);
  const matches = parseLabelSelector(selector ?? '');
  const labelsOf = new Map(records.filter(isNode).map(({ name, labels }) => [name, labels]));
  const wanted = new Set(names.map((name) => name.replace(/^nodes?\//, '')));
  const chosen = saved.filter(({ node }) =>
    wanted.size > 0 ? wanted.has(node) : matches(labelsOf.get(node)),
  );
  const missing = [...wanted].filter((name) => saved.every(({ node }) => node !== name));
  if (missing.length > 0) {
    throw noSuchNode(missing, `The snapshot has: ${saved.map(({ node }) => node).join(', ')}.`);
  }
  if (chosen.length === 0) throw new GcError('no node has these labels', { code: 'no-such-node' });
  return chosen.map((facts) => ({
    ...facts,
    ...(now !== undefined && { observedAt: new Date(now).toISOString() }),
    // As from a cluster, where it is only asked for when it counts.
    ...(!kubeletStart && facts.settings.images.maxAge <= 0 && { kubeletStarted: undefined }),
  }));
}

function noSuchNode(missing: readonly string[], there: string): GcError {
  const names = missing.map((name) => `node ${name}`).join(', ');
  return new GcError(`nothing was saved of ${names}`, {
    code: 'no-such-node',
    suggestions: [there],
  });
}

async function fromFiles(
  flags: NodeFlags,
  paths: readonly string[],
  names: readonly string[],
  now: number | undefined,
): Promise<readonly NodeFacts[]> {
  if (flags.selector !== undefined) {
    throw usageError('-l needs a cluster: saved output does not hold the labels of nodes');
  }
  const facts = await fromNodeFiles(paths, { now, stdin: process.stdin });
  if (names.length === 0) return facts;
  const known = facts.map(({ node }) => node);
  const missing = [...new Set(names)].filter((name) => !known.includes(name));
  if (missing.length > 0) {
    throw noSuchNode(missing, `There is output of: ${known.join(', ')}.`);
  }
  return facts.filter(({ node }) => names.includes(node));
}

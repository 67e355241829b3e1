import { fromNodeProxy } from '../../cluster/from-node-proxy.ts';
import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { GcError, usageError } from '../../errors.ts';
import { fromNodeFiles } from '../../files/nodes/from-node-files.ts';
import { parseLabelSelector } from '../../kube/label-selector.ts';
import { isNode } from '../../kube/well-known-kinds.ts';
import type { NodeFacts } from '../../kubelet/node-facts.ts';
import { decodeNodes } from '../../kubelet/saved-nodes.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { booleanFlag, textFlag } from '../flags/flag-kinds.ts';
import type { CommonFlags, ValuesOf } from '../flags/flags.ts';
import { withProgress } from '../terminal/progress.ts';
import { givenTime } from './clock.ts';
import { openSaved } from './read-files.ts';
import type { Session } from './session.ts';

export const nodeFlags = {
  all: booleanFlag('all nodes'),
  selector: textFlag('SELECTOR', 'only nodes with these labels, as in -l pool=spot', { char: 'l' }),
};

type NodeFlags = CommonFlags & ValuesOf<typeof nodeFlags>;

export async function openNodes(
  flags: NodeFlags,
  names: readonly string[],
  session: Session,
  { kubeletStart = false }: { readonly kubeletStart?: boolean } = {},
): Promise<readonly NodeFacts[]> {
  if (names.length > 0 && (flags.all || flags.selector !== undefined)) {
    throw usageError('nodes are named, and chosen by --all or -l as well', [
      'Leave one of them out.',
    ]);
  }
  const now = givenTime(flags)?.getTime();
  if (flags.from) {
    const saved = await openSaved(flags, flags.from, session);
    if (saved) return inSnapshot(saved, flags, names, { now, kubeletStart });
    if (flags.selector !== undefined) {
      throw usageError('-l needs a cluster: saved output does not have the labels of nodes', [
        'Name the nodes instead.',
      ]);
    }
    const facts = await fromNodeFiles(flags.from, { now, stdin: process.stdin });
    return withNames(facts, names, 'There is output of');
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
    throw new GcError(
      'the snapshot does not contain what kubelets know of their nodes, so it is unknown',
      {
        code: 'nodes-not-saved',
        suggestions: ['Save it again with --nodes, which asks the kubelets.'],
      },
    );
  }
  const matches = parseLabelSelector(selector ?? '');
  const labelsOf = new Map(records.filter(isNode).map(({ name, labels }) => [name, labels]));
  const wanted = names.map((name) => name.replace(/^nodes?\//, ''));
  const saved = withNames(decodeNodes(evidence.nodes), wanted, 'The snapshot has');
  const chosen = saved.filter(({ node }) => wanted.length > 0 || matches(labelsOf.get(node)));
  if (chosen.length === 0) {
    throw new GcError('no node in the snapshot has these labels: there is nothing to answer', {
      code: 'no-such-node',
      suggestions: ['Leave out -l to ask of all its nodes.'],
    });
  }
  return chosen.map((facts) => ({
    ...facts,
    ...(now !== undefined && { observedAt: new Date(now).toISOString() }),
    // As from a cluster, where it is only asked for when it counts.
    ...(!kubeletStart && facts.settings.images.maxAge <= 0 && { kubeletStarted: undefined }),
  }));
}

/** The nodes of these names; without names, all. */
function withNames(facts: readonly NodeFacts[], names: readonly string[], what: string) {
  const known = facts.map(({ node }) => node);
  const missing = [...new Set(names)].filter((name) => !known.includes(name));
  if (missing.length > 0) {
    throw new GcError(`nothing was saved of ${missing.map((name) => `node ${name}`).join(', ')}`, {
      code: 'no-such-node',
      suggestions: [`${what}: ${known.join(', ')}.`],
    });
  }
  return names.length === 0 ? facts : facts.filter(({ node }) => names.includes(node));
}

import { GcError, usageError } from '../../errors.ts';
import type { NodeFacts } from '../../kubelet/node-facts.ts';
import type { NodeFlags } from '../flags/node-flags.ts';
import { withProgress } from '../terminal/progress.ts';
import { timeOf } from './clock.ts';
import type { Session } from './session.ts';

/** What is known of the nodes that a command line names, from files or through the API server. */
export async function openNodes(
  flags: NodeFlags,
  names: readonly string[],
  session: Session,
  { kubeletStart = false }: { readonly kubeletStart?: boolean } = {},
): Promise<readonly NodeFacts[]> {
  checkNames(flags, names);
  const now = timeOf(flags)?.getTime();
  if (flags.from) return fromFiles(flags, flags.from, names, now);
  if (names.length === 0 && !flags.all && flags.selector === undefined) {
    throw usageError(
      'no-node',
      'You must name the nodes.',
      'Name them, or pass --all or -l: see them with kubectl get nodes.',
    );
  }
  const client = await session.client();
  const { fromNodeProxy } = await import('../../cluster/from-node-proxy.ts');
  const { selector } = flags;
  return withProgress('Reading nodes', (progress) => {
    const onProgress = (done: number, total: number) =>
      progress.update(`Reading nodes: ${done} of ${total}`);
    return fromNodeProxy(client, { names, selector }, { now, kubeletStart, onProgress });
  });
}

function checkNames({ all, selector }: NodeFlags, names: readonly string[]): void {
  if (names.length > 0 && (all || selector !== undefined)) {
    throw usageError('names-and-all', 'name nodes, or pass --all or -l, but not both');
  }
}

async function fromFiles(
  flags: NodeFlags,
  paths: readonly string[],
  names: readonly string[],
  now: number | undefined,
): Promise<readonly NodeFacts[]> {
  if (flags.selector !== undefined) {
    throw usageError(
      'no-labels',
      '-l needs a cluster: saved output does not hold the labels of nodes',
    );
  }
  const { fromNodeFiles } = await import('../../files/nodes/from-node-files.ts');
  const facts = await fromNodeFiles(paths, { now, stdin: process.stdin });
  if (names.length === 0) return facts;
  const known = facts.map(({ node }) => node);
  const missing = [...new Set(names)].filter((name) => !known.includes(name));
  if (missing.length > 0) {
    throw new GcError(`nothing was saved of ${missing.map((name) => `node ${name}`).join(', ')}`, {
      code: 'no-such-node',
      suggestions: [`There is output of: ${known.join(', ')}.`],
    });
  }
  return facts.filter(({ node }) => names.includes(node));
}

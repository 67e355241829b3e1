import { inParallel } from '../../cluster/in-parallel.ts';
import { errorMessage, exitCodes, GcError, isGcError } from '../../errors.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { Session } from '../input/session.ts';
import { withProgress } from '../terminal/progress.ts';
import { writeErr } from '../terminal/streams.ts';
import { type Fleet, type FleetMember, sharedServers } from './fleet.ts';

/** How many clusters are asked at a time: while one answers, the answer of another is worked on. */
const clustersAtOnce = 4;
/** Milliseconds for a login that asks no question; as long as one request may take. */
const longestLogin = 90_000;

export interface Asked<A> extends FleetMember {
  /** What it answered, or why it did not. */
  readonly answer?: A;
  readonly failure?: GcError;
}

/**
 * Asks each cluster over a session of its own, which ends with its answer. One that fails does not stop the
 * others. Where all refuse the command line itself, that is thrown: nothing was read.
 */
export async function askFleet<A>(
  fleet: Fleet,
  flags: CommonFlags,
  ask: (session: Session, context: string) => Promise<A>,
): Promise<Asked<A>[]> {
  for (const line of sharedServers(fleet)) writeErr(line);
  const { members, kubeconfig } = fleet;
  let done = 0;
  const asked = await withProgress(`Asking ${members.length} clusters`, (progress) => {
    const askOne = async (member: FleetMember): Promise<Asked<A>> => {
      const { context } = member;
      const told = (line: string) => writeErr(`${context}: ${line}`);
      const asks = (plugin: string) => {
        // What the plugin writes and a spinner would overwrite each other.
        progress.stop();
        told(`the credential plugin ${plugin} may ask you`);
      };
      const end = new AbortController();
      const listeners = { remark: told, asks, signal: end.signal };
      const session = new Session({ ...flags, context }, listeners, kubeconfig);
      try {
        await loggedIn(session, flags);
        return { ...member, answer: await ask(session, context) };
      } catch (error) {
        return { ...member, failure: failureOf(error) };
      } finally {
        session.close();
        end.abort();
        done += 1;
        progress.update(`Asking ${members.length} clusters: ${done} done`);
      }
    };
    return inParallel(members, clustersAtOnce, askOne);
  });
  const [first] = asked;
  if (first?.failure && asked.every(({ failure }) => failure?.exitCode === exitCodes.usage)) {
    throw first.failure;
  }
  return asked;
}

/** A plugin that hangs keeps its own cluster from being read; one that may ask a person waits for the person. */
async function loggedIn(session: Session, flags: CommonFlags): Promise<void> {
  if (process.stdin.isTTY) {
    await session.client();
    return;
  }
  const { parseRequestTimeout } = await import('../../cluster/connection/connection-settings.ts');
  const limit = parseRequestTimeout(flags['request-timeout']) || longestLogin;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `the login did not end within ${limit / 1000} s`;
    timer = setTimeout(() => reject(new GcError(message, { code: 'login-timeout' })), limit);
  });
  await Promise.race([session.client(), late]).finally(() => clearTimeout(timer));
}

/** An error that is none of ours is a bug, and does not keep the other clusters from being shown. */
function failureOf(error: unknown): GcError {
  if (isGcError(error)) return error;
  const message = `a bug, which is not the cluster's: ${errorMessage(error)}`;
  return new GcError(message, { code: 'bug', cause: error });
}

/** Which clusters were not read; nothing where all were. */
export function countOfUnread(asked: readonly Asked<unknown>[]): string[] {
  const unread = asked.filter(({ failure }) => failure);
  if (unread.length === 0) return [];
  const names = unread.map(({ context }) => context).join(', ');
  return [`Read ${asked.length - unread.length} of ${asked.length} clusters; not read: ${names}.`];
}

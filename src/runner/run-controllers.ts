import type { ClusterClient } from '../cluster/connection/cluster-client.ts';
import { inParallel } from '../cluster/in-parallel.ts';
import { discover } from '../cluster/list/discover.ts';
import { Clearance } from '../cluster/write/clearance.ts';
import { enabledControllers } from '../controllers/settings/enabled-controllers.ts';
import { minorOrAssumed } from '../controllers/settings/setting-definition.ts';
import { GcError, usageError } from '../errors.ts';
import { isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { compareObjects, type ObjectReference, referenceTo } from '../kube/object-reference.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { isNamespace } from '../kube/well-known-kinds.ts';
import { sameReferences } from '../simulator/api-server/api-server.ts';
import { canonicalSchedule } from '../simulator/engine/schedule.ts';
import { recordingTimeline, type Step } from '../simulator/engine/timeline.ts';
import { Workers } from '../simulator/garbage-collector/workers.ts';
import { gracePeriod, NamespaceController } from '../simulator/namespaces/namespace-controller.ts';
import { deletesPodsFirst } from '../simulator/simulation-input.ts';
import { collectorRequests } from './collector-requests.ts';
import { namespaceRequests } from './namespace-requests.ts';
import { RealClock, type Wait } from './real-clock.ts';
import { Server } from './server.ts';
import { type Allowed, refuseControllerManager, refuseRemoteServer } from './test-cluster.ts';
import { type ObjectListener, WatchedKind } from './watched-kind.ts';

/** The controllers that can be run, under their names in kube-controller-manager. */
export const runnableControllers = [
  'garbage-collector-controller',
  'namespace-controller',
] as const;
export type RunnableController = (typeof runnableControllers)[number];

export interface RunOptions extends Allowed {
  /** kube-controller-manager's names or their older aliases; default: all that can be run. */
  readonly controllers?: readonly string[] | undefined;
  /** Receives every write, in the order of the answers. */
  readonly onWrite?: ((step: Step) => void) | undefined;
  /** Receives the error that ended the controllers before `stop`, once. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** An object that is still being deleted when the controllers have no more work. */
export interface StillDeleting extends ObjectReference {
  readonly finalizers: readonly string[];
}

/** The controllers have no more work until another client changes an object. */
export interface Settled {
  /** What is being deleted and has not ended: a finalizer or a kubelet is waited for. */
  readonly deleting: readonly StillDeleting[];
}

/** Controllers that run. */
export interface RunningControllers {
  readonly server: string;
  readonly controllers: readonly RunnableController[];
  /**
   * Resolves once everything that was stored before the call has been seen, and all that follows
   * from it has been done. Throws what ended the controllers.
   */
  settled(): Promise<Settled>;
  /** Ends the controllers; what is on its way is not waited for. */
  stop(): void;
}

/** How often discovery is asked for new kinds, in milliseconds. */
const discoveryInterval = 5_000;
const listsAtOnce = 8;
/** How many milliseconds the success of one request is waited for. */
const requestTimeout = 60_000;

function unanswered(message: string): GcError {
  return new GcError(`the server has failed to answer a request for a minute: ${message}`, {
    code: 'unanswered',
    suggestions: ['The controllers cannot finish without it. Look at the logs of the API server.'],
  });
}

/** Which controllers to run; a name of any other is a usage error. */
export function chosenControllers(
  names: readonly string[] = runnableControllers,
): readonly RunnableController[] {
  const isEnabled = enabledControllers(names);
  const chosen = runnableControllers.filter(isEnabled);
  const other = names.find(
    (name) => !/^[*-]/.test(name) && !runnableControllers.some(enabledControllers([name])),
  );
  if (other !== undefined || chosen.length === 0) {
    throw usageError(
      other === undefined ? 'no controller is left to run' : `${other} cannot be run here`,
      [`These can: ${runnableControllers.join(', ')}.`],
    );
  }
  return chosen;
}

/**
 * Runs controllers against an API server that has none, as envtest's: with the code that decides in
 * simulations, guarded by uid. Resolves when everything has been read once and they are at work.
 * `client` needs a connection for each kind, for its watch.
 */
export async function runControllers(
  client: ClusterClient,
  options: RunOptions = {},
): Promise<RunningControllers> {
  const controllers = chosenControllers(options.controllers);
  refuseRemoteServer(client, options);
  const discovery = await discover(client);
  await refuseControllerManager(client, discovery.types, options);

  const ended = new AbortController();
  const clearance = Clearance.grant('controller', { server: client.server });
  const server = new Server(client, clearance, discovery.types, ended.signal);
  let failure: { readonly error: unknown } | undefined;
  const stop = () => {
    ended.abort();
    clock.stop();
    clearInterval(rediscovering);
  };
  const fail = (error: unknown) => {
    if (failure || ended.signal.aborted) return;
    failure = { error };
    stop();
    options.onError?.(error);
  };
  const clock = new RealClock(fail);
  const timeline = recordingTimeline(Date.now, {
    push: (step) => options.onWrite?.(step),
  });
  const collector = controllers.includes('garbage-collector-controller')
    ? new Workers<Wait>({
        requests: collectorRequests(server, clock),
        clock,
        pace: canonicalSchedule,
        timeline,
        noteChange: () => {
          clock.changes += 1;
        },
        identityOf: referenceTo,
        invalidNamespace: () => undefined,
      })
    : undefined;
  const namespaces = controllers.includes('namespace-controller')
    ? new NamespaceController<Wait>({
        requests: namespaceRequests(server, timeline),
        clock,
        retry: canonicalSchedule.retry,
        // Meanwhile the garbage collector finishes what it does in the namespace; alone, there is nothing to wait for.
        gracePeriod: collector ? gracePeriod : 0,
        podsFirst: deletesPodsFirst(minorOrAssumed(discovery.serverVersion)),
      })
    : undefined;
  const listener: ObjectListener = {
    seen(before, after) {
      if (!before || matters(before, after)) clock.changes += 1;
      collector?.graph.observe(before, after);
      if (isNamespace(after)) namespaces?.observe(after);
    },
    gone(record) {
      clock.changes += 1;
      collector?.graph.forget(record);
    },
  };

  const kinds = new Map<string, WatchedKind>();
  /** Watches kinds that came, and stops with those that went. */
  async function followKinds(): Promise<void> {
    const { types } = await discover(client, { signal: ended.signal });
    const monitored = new Map(types.monitored().map((type) => [groupResourceOf(type), type]));
    const names = (all: typeof types) => all.all.map(groupResourceOf).join();
    if (names(types) !== names(server.types)) clock.changes += 1;
    server.types = types;
    for (const [name, kind] of kinds) {
      if (monitored.has(name)) continue;
      kind.stop();
      kinds.delete(name);
    }
    const added = [...monitored].filter(([name]) => !kinds.has(name));
    await inParallel(added, listsAtOnce, async ([name, type]) => {
      if (kinds.has(name)) return;
      const kind = new WatchedKind(server, type, listener);
      kinds.set(name, kind);
      try {
        await kind.start();
      } catch (error) {
        kinds.delete(name);
        throw error;
      }
    });
  }

  const rediscovering = setInterval(() => {
    followKinds().catch(() => undefined);
  }, discoveryInterval);
  rediscovering.unref();
  try {
    await followKinds();
  } catch (error) {
    stop();
    throw error;
  }
  collector?.start();

  async function settled(): Promise<Settled> {
    const impatience = setInterval(() => {
      const message = server.failingFor(requestTimeout);
      if (message !== undefined) fail(unanswered(message));
    }, 1_000);
    return untilSettled().finally(() => clearInterval(impatience));
  }

  async function untilSettled(): Promise<Settled> {
    for (;;) {
      await clock.quiet();
      if (failure) throw failure.error;
      if (ended.signal.aborted) throw usageError('the controllers were stopped');
      const { changes } = clock;
      await followKinds();
      await inParallel([...kinds.values()], listsAtOnce, (kind) => kind.list());
      await clock.quiet();
      if (clock.changes === changes && !failure) return { deleting: deletingIn(kinds) };
    }
  }

  return { server: client.server, controllers, settled, stop };
}

/** Does a change bear on what the controllers decide? Programs renew Leases and status all the time. */
function matters(before: ObjectRecord, after: ObjectRecord): boolean {
  return (
    before.deletionTimestamp !== after.deletionTimestamp ||
    before.finalizers.join() !== after.finalizers.join() ||
    !sameReferences(before.ownerReferences, after.ownerReferences)
  );
}

function deletingIn(kinds: ReadonlyMap<string, WatchedKind>): StillDeleting[] {
  return [...kinds.values()]
    .flatMap((kind) => [...kind.objects])
    .filter(isBeingDeleted)
    .map((record) => ({ ...referenceTo(record), finalizers: record.finalizers }))
    .sort(compareObjects);
}

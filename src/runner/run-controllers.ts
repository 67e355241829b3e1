import type { ClusterClient } from '../cluster/connection/cluster-client.ts';
import { type Discovery, discover } from '../cluster/list/discover.ts';
import { Clearance } from '../cluster/write/clearance.ts';
import { GcError, usageError } from '../errors.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { compareObjects, type ObjectReference, referenceTo } from '../kube/object-reference.ts';
import { isNamespace } from '../kube/well-known-kinds.ts';
import { enabledControllers } from '../settings/enabled-controllers.ts';
import { minorOrAssumed } from '../settings/setting-definition.ts';
import { sameReferences } from '../simulator/api-server/api-server.ts';
import { canonicalSchedule } from '../simulator/engine/schedule.ts';
import { recordingTimeline, type Step, spelledStep } from '../simulator/engine/timeline.ts';
import { Workers } from '../simulator/garbage-collector/workers.ts';
import { gracePeriod, NamespaceController } from '../simulator/namespaces/namespace-controller.ts';
import { deletesPodsFirst } from '../simulator/simulation-input.ts';
import { collectorRequests } from './collector-requests.ts';
import { namespaceRequests } from './namespace-requests.ts';
import { RealClock, type Wait } from './real-clock.ts';
import { Server } from './server.ts';
import { type Allowed, refuseControllerManager, refuseRemoteServer } from './test-cluster.ts';
import type { ObjectListener } from './watched-kind.ts';
import { WatchedKinds } from './watched-kinds.ts';

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

  const run = new ControllerRun(client, controllers, discovery, options);
  await run.start();
  return run;
}

/** The controllers of one call, until they are stopped or fail. */
class ControllerRun implements RunningControllers {
  readonly server: string;
  readonly controllers: readonly RunnableController[];
  readonly #ended = new AbortController();
  readonly #api: Server;
  readonly #clock: RealClock;
  readonly #collector: Workers<Wait> | undefined;
  readonly #kinds: WatchedKinds;
  readonly #onError: RunOptions['onError'];
  #rediscovering: NodeJS.Timeout | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    client: ClusterClient,
    controllers: readonly RunnableController[],
    { types, serverVersion }: Pick<Discovery, 'types' | 'serverVersion'>,
    { onWrite, onError }: RunOptions,
  ) {
    this.server = client.server;
    this.controllers = controllers;
    this.#onError = onError;
    const clearance = Clearance.grant('controller', { server: client.server });
    const server = new Server(client, clearance, types, this.#ended.signal);
    const clock = new RealClock((error) => this.#fail(error));
    const timeline = recordingTimeline(Date.now, { push: (step) => onWrite?.(spelledStep(step)) });
    const collector = controllers.includes('garbage-collector-controller')
      ? collectorOn(server, clock, timeline)
      : undefined;
    const namespaces = controllers.includes('namespace-controller')
      ? new NamespaceController<Wait>({
          requests: namespaceRequests(server, timeline),
          clock,
          retry: canonicalSchedule.retry,
          // Meanwhile the garbage collector finishes what it does in the namespace; alone, there is nothing to wait for.
          gracePeriod: collector ? gracePeriod : 0,
          podsFirst: deletesPodsFirst(minorOrAssumed(serverVersion)),
        })
      : undefined;
    this.#api = server;
    this.#clock = clock;
    this.#collector = collector;
    this.#kinds = new WatchedKinds(server, clock, listenerOf(clock, collector, namespaces));
  }

  /** Reads everything once, and lets the controllers work. */
  async start(): Promise<void> {
    this.#rediscovering = setInterval(() => {
      this.#kinds.rediscover().catch(() => undefined);
    }, discoveryInterval);
    this.#rediscovering.unref();
    try {
      await this.#kinds.rediscover();
    } catch (error) {
      this.stop();
      throw error;
    }
    this.#collector?.start();
  }

  stop(): void {
    this.#ended.abort();
    this.#clock.stop();
    clearInterval(this.#rediscovering);
  }

  async settled(): Promise<Settled> {
    const impatience = setInterval(() => {
      const message = this.#api.failingFor(requestTimeout);
      if (message !== undefined) this.#fail(unanswered(message));
    }, 1_000);
    return this.#untilSettled().finally(() => clearInterval(impatience));
  }

  async #untilSettled(): Promise<Settled> {
    const clock = this.#clock;
    for (;;) {
      await clock.quiet();
      if (this.#failure) throw this.#failure.error;
      if (this.#ended.signal.aborted)
        throw usageError('the controllers were stopped', [
          'Wait for them before stop() is called.',
        ]);
      const { changes } = clock;
      await this.#kinds.rediscover();
      await this.#kinds.list();
      await clock.quiet();
      if (clock.changes === changes && !this.#failure) {
        return { deleting: stillDeleting(this.#kinds.terminating) };
      }
    }
  }

  #fail(error: unknown): void {
    if (this.#failure || this.#ended.signal.aborted) return;
    this.#failure = { error };
    this.stop();
    this.#onError?.(error);
  }
}

type RecordedTimeline = ReturnType<typeof recordingTimeline>;

/** The garbage collector, as it works in simulations. */
function collectorOn(server: Server, clock: RealClock, timeline: RecordedTimeline): Workers<Wait> {
  return new Workers<Wait>({
    requests: collectorRequests(server, clock),
    clock,
    timing: canonicalSchedule,
    timeline,
    noteChange: () => {
      clock.changes += 1;
    },
    identityOf: referenceTo,
    invalidNamespace: () => undefined,
  });
}

/** Reports the changes of objects to the controllers that run. */
function listenerOf(
  clock: RealClock,
  collector: Workers<Wait> | undefined,
  namespaces: NamespaceController<Wait> | undefined,
): ObjectListener {
  return {
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
}

/** Does a change bear on what the controllers decide? Programs renew Leases and status all the time. */
function matters(before: ObjectRecord, after: ObjectRecord): boolean {
  return (
    before.deletionTimestamp !== after.deletionTimestamp ||
    before.finalizers.join() !== after.finalizers.join() ||
    !sameReferences(before.ownerReferences, after.ownerReferences)
  );
}

function stillDeleting(terminating: readonly ObjectRecord[]): StillDeleting[] {
  return terminating
    .map((record) => ({ ...referenceTo(record), finalizers: record.finalizers }))
    .sort(compareObjects);
}

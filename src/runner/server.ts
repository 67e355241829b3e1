import type { ClusterClient } from '../cluster/connection/cluster-client.ts';
import { type GetObjectOptions, getObject } from '../cluster/list/get-objects.ts';
import { defaultRetryPolicy, Gate, pause } from '../cluster/pacing.ts';
import type { Clearance } from '../cluster/write/clearance.ts';
import { sendWrite } from '../cluster/write/send-write.ts';
import type { WriteAnswer } from '../cluster/write/write-answer.ts';
import type { WriteRequest } from '../cluster/write/write-request.ts';
import { locationKey, type ObjectLocation } from '../kube/object-reference.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { Written } from '../simulator/api-server/api-server.ts';
import type { Task } from '../simulator/engine/clock.ts';
import { answerOf, type Wait } from './real-clock.ts';

/** As many workers as upstream's garbage collector has for deletions (GC-11). */
const workers = 20;
/** What failed is tried again by the controller's own queue; only what the server asks for is repeated here. */
const once = { ...defaultRetryPolicy, tries: 1 };

/** The API server that controllers run against. */
export class Server {
  readonly client: ClusterClient;
  /** What discovery said last. */
  types: ResourceTypes;
  readonly signal: AbortSignal;
  readonly #clearance: Clearance<'controller'>;
  /** What has been asked again and again without an answer that counts, by method and path. */
  readonly #unanswered = new Map<string, { readonly since: number; readonly message: string }>();
  readonly #gate = new Gate(workers);

  constructor(
    client: ClusterClient,
    clearance: Clearance<'controller'>,
    types: ResourceTypes,
    signal: AbortSignal,
  ) {
    this.client = client;
    this.#clearance = clearance;
    this.types = types;
    this.signal = signal;
  }

  get(location: ObjectLocation, options: GetObjectOptions = {}) {
    const { client, signal } = this;
    const got = this.#gate.run(() =>
      getObject(client, location, { signal, retry: once, ...options }),
    );
    const key = `get ${locationKey(location)}`;
    return answerOf(got.then((found) => this.#noted(key, found, found.problem?.message)));
  }

  send(write: WriteRequest): Task<WriteAnswer, Wait> {
    const { client, signal } = this;
    const cleared = this.#clearance.covers(write);
    const sent = this.#gate.run(() => sendWrite(client, cleared, { signal, retry: once }));
    const key = `${write.verb} ${write.path}`;
    return answerOf(
      sent.then((answer) => this.#noted(key, answer, answer.mayPass ? answer.message : undefined)),
    );
  }

  #noted<T>(key: string, answer: T, problem: string | undefined): T {
    const since = this.#unanswered.get(key)?.since ?? performance.now();
    if (problem === undefined) this.#unanswered.delete(key);
    else this.#unanswered.set(key, { since, message: problem });
    return answer;
  }

  /** What the server said to a request that has failed for so long; undefined where there is none. */
  failingFor(milliseconds: number): string | undefined {
    const before = performance.now() - milliseconds;
    return [...this.#unanswered.values()].find(({ since }) => since < before)?.message;
  }

  pause(milliseconds: number): Task<void, Wait> {
    return answerOf(pause(milliseconds, this.signal));
  }
}

/** What became of a write, in the words of the simulated server. */
export function writtenOf(answer: WriteAnswer, rule: string): Written {
  const { code, reason, message, object } = answer;
  if (answer.outcome !== 'done') {
    return { reply: { code, reason, message }, result: 'refused', after: undefined, rule };
  }
  const reply = { code, reason: '' };
  return { reply, result: object ? 'changed' : 'removed', after: undefined, rule };
}

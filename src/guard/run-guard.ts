import type { ClusterClient } from '../cluster/connection/cluster-client.ts';
import { pause } from '../cluster/pacing.ts';
import { errorMessage } from '../errors.ts';
import { day, minute } from '../kube/time.ts';
import type { Metric } from '../output/prometheus-text.ts';
import { answerDeletion } from './answer-deletion.ts';
import { makeCertificate, type ServingCertificate } from './certificate.ts';
import { GuardCounts } from './guard-metrics.ts';
import type { GuardRules } from './guard-rules.ts';
import { GuardServer, type KeyPair } from './guard-server.ts';
import { trustCertificate } from './trusted-certificates.ts';
import { WatchedCluster } from './watched-cluster.ts';

export interface GuardOptions {
  readonly host: string;
  readonly port: number;
  /** Names and addresses under which the API server reaches it. */
  readonly names: readonly string[];
  /** The ValidatingWebhookConfiguration that has to trust the certificate. */
  readonly configuration: string;
  /** Reads certificate and key of files; undefined: it makes its own. */
  readonly readKeyPair: (() => Promise<KeyPair>) | undefined;
  /** Reads the rules; throws where they are wrong. */
  readonly readRules: () => Promise<GuardRules>;
  readonly report: (line: string) => void;
  /** Called from time to time with the counts since the start. */
  readonly publish: (metrics: readonly Metric[]) => void;
}

/** Validity of a self-signed certificate, which is replaced after half of it. */
const certificateLasts = 14 * day;
/** The API server trusts a new certificate a moment after it was written; the old one is used until then. */
const settlesAfter = minute;
const tick = 5_000;
const soon = 500;
/** Services send requests to a replica that ends for a moment. */
const drains = 5_000;

/** Serves until the signal is aborted, and then until what has arrived is answered. */
export async function runGuard(
  client: ClusterClient,
  options: GuardOptions,
  signal: AbortSignal,
): Promise<void> {
  const { report } = options;
  const ended = new AbortController();
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  const cluster = new WatchedCluster(client, ended.signal, failure.reject);
  const counts = new GuardCounts();
  const rules = new CurrentRules(await options.readRules(), options);
  const keys = new CurrentCertificate(client, options);
  const notReady = () => {
    if (signal.aborted) return 'it is ending';
    return cluster.isSynced ? keys.problem : 'the cluster has not been read yet';
  };
  const server = new GuardServer(await keys.first(), {
    notReady,
    answered: (milliseconds) => counts.answered(milliseconds),
    answer: (request, time) => {
      try {
        const how = { now: Date.now(), time };
        const answer = answerDeletion({ cluster, rules: rules.current }, request, how);
        counts.judged(answer.verdict);
        return answer;
      } catch (error) {
        counts.failed();
        report(`error: ${errorMessage(error)}`);
        throw error;
      }
    },
  });
  try {
    const port = await server.listen(options.host, options.port);
    report(`Judging deletions at port ${port}`);
    const began = performance.now();
    const reading = cluster.follow().then(() => {
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      report(`Watching ${cluster.index.size} objects after ${seconds}s`);
    });
    reading.catch(failure.reject);
    const beat = async () => {
      while (!signal.aborted) {
        await rules.refresh();
        await keys.refresh(server);
        options.publish(
          counts.metrics(cluster, { now: Date.now(), areRulesValid: rules.areValid }),
        );
        await pause(notReady() === undefined ? tick : soon, signal);
      }
      server.drain();
      if (keys.problem === undefined) await pause(drains, ended.signal);
    };
    await Promise.race([beat(), failure.promise]);
  } finally {
    await server.close();
    ended.abort();
  }
}

/** The rules of a file, which may change. */
class CurrentRules {
  current: GuardRules;
  areValid = true;
  readonly #options: GuardOptions;
  #failure = '';

  constructor(first: GuardRules, options: GuardOptions) {
    this.current = first;
    this.#options = options;
  }

  /** Wrong rules leave those in effect that were right. */
  async refresh(): Promise<void> {
    try {
      const read = await this.#options.readRules();
      if (JSON.stringify(read) !== JSON.stringify(this.current)) {
        this.#options.report(`New rules are in effect: ${read.rules.length}`);
      }
      this.current = read;
      this.areValid = true;
      this.#failure = '';
    } catch (error) {
      this.areValid = false;
      const failure = errorMessage(error);
      if (failure !== this.#failure)
        this.#options.report(`error: ${failure}; the rules before it remain`);
      this.#failure = failure;
    }
  }
}

/** The served certificate: from files, or a self-signed one, which it writes into `caBundle` of the webhook. */
class CurrentCertificate {
  /** Why the API server does not trust it; undefined: it does. */
  problem: string | undefined = 'the API server does not trust its certificate yet';
  readonly #client: ClusterClient;
  readonly #options: GuardOptions;
  #own: ServingCertificate | undefined;
  /** Trusted already, and served once API servers know that. */
  #next: { readonly pair: ServingCertificate; readonly from: number } | undefined;
  #served: KeyPair | undefined;

  constructor(client: ClusterClient, options: GuardOptions) {
    this.#client = client;
    this.#options = options;
  }

  async first(): Promise<KeyPair> {
    const { readKeyPair } = this.#options;
    if (!readKeyPair) this.#own = this.#make();
    this.#served = readKeyPair ? await readKeyPair() : (this.#own as ServingCertificate);
    return this.#served;
  }

  async refresh(server: GuardServer): Promise<void> {
    try {
      this.problem = this.#own ? await this.#refreshOwn(server) : await this.#readAgain(server);
    } catch (error) {
      // What was trusted is trusted still.
      if (this.problem !== undefined) this.problem = errorMessage(error);
    }
  }

  async #readAgain(server: GuardServer): Promise<undefined> {
    const pair = await this.#options.readKeyPair?.();
    if (pair && pair.certificate !== this.#served?.certificate) {
      server.renew(pair);
      this.#served = pair;
    }
    return undefined;
  }

  async #refreshOwn(server: GuardServer): Promise<string | undefined> {
    const now = Date.now();
    if (!this.#own) return undefined;
    if (!this.#next && this.#own.expires - now < certificateLasts / 2) {
      this.#next = { pair: this.#make(), from: now + settlesAfter };
    }
    if (this.#next) {
      await trustCertificate(
        this.#client,
        this.#options.configuration,
        this.#next.pair.certificate,
      );
      if (now >= this.#next.from) {
        this.#own = this.#next.pair;
        this.#next = undefined;
        server.renew(this.#own);
      }
    }
    const { configuration } = this.#options;
    return trustCertificate(this.#client, configuration, this.#own.certificate);
  }

  #make(): ServingCertificate {
    return makeCertificate(this.#options.names, { now: Date.now(), lasts: certificateLasts });
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { setImmediate } from 'node:timers/promises';
import { fieldsOf, textAt } from '../kube/json-value.ts';
import {
  type AdmissionAnswer,
  type DeletionRequest,
  deletionIn,
  reviewOf,
} from './admission-review.ts';
import { AnswerTime } from './answer-time.ts';

/** What the server is for. */
export interface GuardHandlers {
  answer(request: DeletionRequest, time: AnswerTime): AdmissionAnswer;
  /** How long it took until an answer was sent, in milliseconds. */
  answered(milliseconds: number): void;
  /** Undefined: ready; else why not. */
  notReady(): string | undefined;
}

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

interface Waiting {
  readonly request: DeletionRequest;
  readonly response: ServerResponse;
  readonly arrived: number;
}

/** etcd accepts objects up to 1.5 MiB, and an AdmissionReview of a deletion contains the object once. */
const longestBody = 8 * 1024 * 1024;

/** Answers AdmissionReviews over TLS, one after another. */
export class GuardServer {
  readonly #server: Server;
  readonly #handlers: GuardHandlers;
  readonly #waiting: Waiting[] = [];
  #isWorking = false;
  #isDraining = false;

  constructor({ certificate, key }: KeyPair, handlers: GuardHandlers) {
    this.#handlers = handlers;
    this.#server = createServer({ cert: certificate, key }, (request, response) => {
      void this.#serve(request, response).catch(() => response.destroy());
    });
    // The API server keeps its connections for 90 s.
    this.#server.keepAliveTimeout = 100_000;
  }

  /** Resolves with the port. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => {
        // A machine without IPv6 has no :: to listen at.
        if (host !== '::' || error.code !== 'EAFNOSUPPORT') reject(error);
        else this.listen('0.0.0.0', port).then(resolve, reject);
      });
      this.#server.listen(port, host, () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }

  /** New connections get this certificate. */
  renew({ certificate, key }: KeyPair): void {
    this.#server.setSecureContext({ cert: certificate, key });
  }

  /** From now on each answer ends its connection: the API server opens another, which a Service sends to another replica. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Answers what has arrived, and ends. */
  async close(): Promise<void> {
    this.#isDraining = true;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    const [path] = url.split('?', 1);
    if (path === '/healthz') return send(response, 200, 'ok\n');
    if (path === '/readyz') {
      const why = this.#handlers.notReady();
      return send(response, why === undefined ? 200 : 503, `${why ?? 'ok'}\n`);
    }
    if (path !== '/deletions' || method !== 'POST')
      return send(response, 404, 'AdmissionReviews are posted to /deletions\n');
    const arrived = performance.now();
    const review = await reviewIn(request);
    const deletion = review === undefined ? undefined : deletionIn(review);
    if (!deletion) {
      const uid = textAt(fieldsOf(review), 'request.uid');
      if (uid === '') return send(response, 400, 'no AdmissionReview of admission.k8s.io/v1\n');
      // What is no deletion is not judged.
      return sendJson(response, reviewOf(uid, { isAllowed: true, warnings: [], audit: {} }));
    }
    this.#waiting.push({ request: deletion, response, arrived });
    if (!this.#isWorking) await this.#work();
  }

  /** Between two answers, what has arrived meanwhile is read: the time of its answer begins then. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    try {
      for (;;) {
        await setImmediate();
        const next = this.#waiting.shift();
        if (!next) return;
        this.#answer(next);
      }
    } finally {
      this.#isWorking = false;
    }
  }

  #answer({ request, response, arrived }: Waiting): void {
    if (this.#isDraining) response.setHeader('connection', 'close');
    try {
      const answer = this.#handlers.answer(request, new AnswerTime(arrived));
      sendJson(response, reviewOf(request.uid, answer));
    } catch {
      // The API server ignores a webhook that fails, so a mistake of ours stops no deletion.
      send(response, 500, 'the deletion could not be judged\n');
    }
    this.#handlers.answered(performance.now() - arrived);
  }
}

async function reviewIn(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > longestBody) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

function sendJson(response: ServerResponse, value: object): void {
  send(response, 200, JSON.stringify(value), 'application/json');
}

function send(response: ServerResponse, status: number, body: string, type = 'text/plain'): void {
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}

import type { Agent } from 'node:http';
import type { ClientHttp2Session } from 'node:http2';
import type { AgentOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { hostOf } from '../server-host.ts';
import type { Supervised } from './supervision.ts';

/** One takes requests, as kubectl's does; others may still be ending. */
const enough = 3;
/** Each occupies a stream until it ends, and kube-apiserver accepts 100 at a time (secure_serving.go). */
const mostWatchStreams = 16;
/** A server that does not answer by then is asked over HTTP/1.1, which says what is wrong. */
const connectTimeout = 10_000;
/** Bytes that a server may send before they are read, of one answer and of all: more than a distant one has under way. */
const streamWindow = 2 ** 20;
const sessionWindow = 2 ** 24;
/** In MB; what all answers that are under way may take is limited by their windows. */
const mostMemory = 1000;

/** Milliseconds. */
interface Http2Pace {
  /** Nothing was heard for so long: the server, or what is on the way to it, may have forgotten the connection. */
  readonly silence: number;
  /** For the answer to a PING. */
  readonly ping: number;
}

/** kubectl's (readIdleTimeoutSeconds and pingTimeoutSeconds, apimachinery/pkg/util/net/http.go). */
const kubectlPace: Http2Pace = { silence: 30_000, ping: 15_000 };

/**
 * Connections to one server that speaks HTTP/2, as kubectl uses them. Node takes a third less processor time for a
 * large answer than over HTTP/1.1, where it calls JavaScript for each chunk of 2 KiB.
 */
export class Http2Sessions {
  readonly #server: URL;
  readonly #tls: AgentOptions;
  readonly #agent: Agent;
  readonly #pace: Http2Pace;
  readonly #most: number;
  /** The one that takes requests, until it is forgotten. */
  #current: Promise<ClientHttp2Session | undefined> | undefined;
  /** Those that are connected, or being connected. */
  readonly #open = new Set<ClientHttp2Session | TLSSocket>();
  /** How many those are: forgotten ones, too, until they are closed. */
  #count = 0;
  #watches = 0;
  #isSpoken = true;
  #isClosed = false;

  /** `agent`: has the other connections to the server, and may open fewer while there are some of HTTP/2. */
  constructor(server: string, tls: AgentOptions, agent: Agent, pace = kubectlPace) {
    this.#server = new URL(server);
    this.#tls = tls;
    this.#agent = agent;
    this.#pace = pace;
    this.#most = Math.min(enough, Math.floor(agent.maxSockets / 2));
  }

  /**
   * A session for one request; undefined if the server does not speak HTTP/2, if no session is available now, or after
   * the request was cancelled: HTTP/1.1 then reports the reason.
   */
  async next(request: PendingRequest = {}): Promise<ClientHttp2Session | undefined> {
    if (!this.#isSpoken || this.#isClosed || this.#most === 0) return undefined;
    if (this.#hasRoom) {
      this.#current ??= this.#connect(() => {
        this.#current = undefined;
      });
    }
    return this.#current && untilGivenUp(this.#current, request);
  }

  /** The first watches alone: above what a server takes, streams wait until another ends. */
  admitsWatch(): boolean {
    this.#watches += 1;
    return this.#watches <= mostWatchStreams;
  }

  /** For one connection more. Below as many sockets as it has, an agent would end each that gets free. */
  get #hasRoom(): boolean {
    const { sockets, freeSockets, maxSockets } = this.#agent;
    const all = [sockets, freeSockets].flatMap((some) => Object.values(some).flat());
    return this.#count < this.#most && all.length < maxSockets;
  }

  close(): void {
    this.#isClosed = true;
    for (const session of this.#open) session.destroy();
  }

  /** `forget` is called once, when the session takes no more requests. */
  async #connect(forget: () => void): Promise<ClientHttp2Session | undefined> {
    this.#add(1);
    const connecting = this.#connectSocket();
    // Node takes some milliseconds to load it, in which the server answers a handshake that went out before.
    await new Promise((resolve) => setImmediate(resolve));
    const { connect } = await import('node:http2');
    const socket = await connecting;
    if (!socket || this.#isClosed) {
      socket?.destroy();
      this.#add(-1);
      forget();
      return undefined;
    }
    const session = connect(this.#server, {
      createConnection: () => socket,
      settings: { initialWindowSize: streamWindow, enablePush: false },
      maxSessionMemory: mostMemory,
    });
    this.#open.add(session);
    let isForgotten = false;
    const forgetOnce = () => {
      if (!isForgotten) forget();
      isForgotten = true;
    };
    // Each open stream fails with its session, and reports it.
    session.on('error', forgetOnce);
    session.on('goaway', forgetOnce);
    session.setTimeout(this.#pace.silence, () => {
      forgetOnce();
      closeOrEnd(session, this.#pace.ping);
    });
    session.once('close', () => {
      forgetOnce();
      this.#add(-1);
      this.#open.delete(session);
    });
    session.once('connect', () => {
      if (!session.destroyed) session.setLocalWindowSize(sessionWindow);
    });
    // As with an idle connection of HTTP/1.1, the process may end; what is asked has a timer, which keeps it.
    session.unref();
    return session;
  }

  #add(connections: number): void {
    this.#count += connections;
    this.#agent.maxSockets -= connections;
  }

  /** Undefined where no connection is made, or one that speaks HTTP/1.1 alone. */
  async #connectSocket(): Promise<TLSSocket | undefined> {
    const [tls, { isIP }] = await Promise.all([import('node:tls'), import('node:net')]);
    const host = hostOf(this.#server);
    const socket = tls.connect({
      host,
      port: Number(this.#server.port || 443),
      ...(isIP(host) === 0 && { servername: host }),
      rejectUnauthorized: true,
      ...this.#tls,
      ALPNProtocols: ['h2', 'http/1.1'],
      timeout: connectTimeout,
    });
    this.#open.add(socket);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    for (const end of ['error', 'timeout', 'close']) socket.once(end, () => resolve(false));
    socket.once('secureConnect', () => {
      this.#isSpoken = socket.alpnProtocol === 'h2';
      resolve(this.#isSpoken && !this.#isClosed);
    });
    const isUsable = await promise;
    this.#open.delete(socket);
    socket.setTimeout(0);
    if (isUsable) return socket;
    socket.destroy();
    return undefined;
  }
}

/** What is under way comes to its end over this connection, unless it is dead: no PING is answered over it. */
function closeOrEnd(session: ClientHttp2Session, longestWait: number): void {
  const end = () => session.destroy(new Error('no answer to a PING'));
  const timer = setTimeout(end, longestWait).unref();
  session.ping(() => {
    clearTimeout(timer);
    session.close();
  });
}

type PendingRequest = Partial<Pick<Supervised, 'signal' | 'awaited'>>;

/** Undefined once its caller gives the request up, or when it has taken too long. */
async function untilGivenUp<T>(work: Promise<T>, { signal, awaited }: PendingRequest) {
  if (signal?.aborted) return undefined;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const giveUp = () => resolve(undefined);
  const timer = awaited && setTimeout(giveUp, Math.min(awaited.allowed(0), connectTimeout));
  signal?.addEventListener('abort', giveUp);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

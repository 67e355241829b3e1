import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GcError } from '../../errors.ts';

/** What is served: a page, its data, and the policy that the page names for itself. */
export interface ServedPage {
  readonly html: () => string;
  /** One line of JSON. */
  readonly data: string;
  readonly policy: string;
}

export type PageServer = Awaited<ReturnType<typeof startPageServer>>;

const host = '127.0.0.1';
/** Names under which a browser on this machine asks; another one was made to lead here (DNS rebinding). */
const ownNames = [host, 'localhost'];
/** A person has a few windows open. */
const mostListeners = 16;
/** Between two signs of life, in milliseconds, so that a listener that has gone is noticed. */
const pingEvery = 15_000;

const headers = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** What an address must have, so that others on this machine cannot ask. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** Where the data of a served page comes from when it changes. */
export function eventsFor(token: string): string {
  return `events?token=${token}`;
}

/**
 * Serves one page to browsers on this machine. It answers GET and HEAD of three paths, to requests with the
 * token. Its handlers send no requests to the cluster: they serve what was published here.
 */
export async function startPageServer(
  { port, token }: { readonly port: number; readonly token: string },
  first: ServedPage,
) {
  let page = first;
  const windows = new OpenWindows(() => page.data);
  const server = createServer((request, response) => {
    const { port: own } = server.address() as AddressInfo;
    const refused = requestRefusal(request, own, token);
    if (refused) return answer(request, response, refused.status, refused.text);
    switch (request.url?.split('?', 1)[0]) {
      case '/':
        response.setHeader('content-security-policy', `${page.policy}; frame-ancestors 'none'`);
        return answer(request, response, 200, page.html(), 'text/html');
      case '/page.json':
        return answer(request, response, 200, page.data, 'application/json');
      case '/events':
        return windows.add(request, response);
      default:
        return answer(request, response, 404, 'there is nothing here\n');
    }
  });
  await listening(server, port);
  const pings = setInterval(() => windows.ping(), pingEvery);
  const { port: bound } = server.address() as AddressInfo;
  return {
    /** With the token, without which nothing is answered. */
    url: `http://${host}:${bound}/?token=${token}`,
    /** From now on this is served, and sent to those who listen. */
    publish: (next: ServedPage) => {
      page = next;
      windows.send();
    },
    close: async () => {
      clearInterval(pings);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Resolves when the server accepts connections; a port that is in use is an error. */
function listening(server: Server, port: number): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'it is in use' : cause.message;
      const how = 'Name another port, or leave out --port: then a free one is taken.';
      const more = { code: 'cannot-listen', suggestions: [how], cause };
      reject(new GcError(`cannot serve on port ${port}: ${why}`, more));
    });
    server.listen(port, host, resolve);
  });
}

/** The windows of browsers that show the page, and get its data whenever that changes. */
class OpenWindows {
  /** By response: has its browser still to take what was sent before? Then it gets the latest data afterwards. */
  readonly #windows = new Map<ServerResponse, { isBehind: boolean }>();
  readonly #data: () => string;

  constructor(data: () => string) {
    this.#data = data;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (this.#windows.size >= mostListeners) {
      answer(request, response, 503, 'too many windows listen\n');
      return;
    }
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const state = { isBehind: false };
    this.#windows.set(response, state);
    response.on('close', () => this.#windows.delete(response));
    response.on('drain', () => {
      if (!state.isBehind) return;
      state.isBehind = false;
      this.#sendTo(response);
    });
    response.write('retry: 2000\n\n');
    this.#sendTo(response);
  }

  send(): void {
    for (const response of this.#windows.keys()) this.#sendTo(response);
  }

  ping(): void {
    for (const response of this.#windows.keys()) {
      if (!response.writableNeedDrain) response.write(': here\n\n');
    }
  }

  #sendTo(response: ServerResponse): void {
    const state = this.#windows.get(response);
    if (!state) return;
    if (response.writableNeedDrain) state.isBehind = true;
    else response.write(`data: ${this.#data()}\n\n`);
  }
}

function requestRefusal(
  { method, headers: { host: asked, origin }, url = '' }: IncomingMessage,
  port: number,
  token: string,
): { readonly status: number; readonly text: string } | undefined {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'only GET is allowed\n' };
  const own = ownNames.map((name) => `${name}:${port}`);
  if (asked === undefined || !own.includes(asked)) {
    return { status: 403, text: 'this server is not asked by that name\n' };
  }
  if (origin !== undefined && !own.some((name) => origin === `http://${name}`)) {
    return { status: 403, text: 'only its own page may ask this server\n' };
  }
  const [, query] = url.split('?');
  const given = Buffer.from(new URLSearchParams(query).get('token') ?? '');
  const expected = Buffer.from(token);
  if (given.length === expected.length && timingSafeEqual(given, expected)) return undefined;
  return { status: 403, text: 'open the address that view printed: it has the token\n' };
}

function answer(
  { method }: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: string,
  type = 'text/plain',
): void {
  response.writeHead(status, {
    ...headers,
    ...(status === 405 && { allow: 'GET, HEAD' }),
    // What a refused request still sends is not waited for.
    ...(status >= 400 && { connection: 'close' }),
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
  });
  response.end(method === 'HEAD' ? '' : body);
}

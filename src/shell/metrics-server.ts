import { Worker } from 'node:worker_threads';
import { GcError, usageError } from '../errors.ts';

/**
 * Serves /metrics and /healthz from a separate thread: the simulation of a large cluster keeps this one
 * busy for seconds, in which a probe would end the pod.
 */
export async function startMetricsServer(address: string, flag = '--serve') {
  const { host, port } = listenAddress(address, flag);
  const worker = new Worker(`(${answerRequests})()`, { eval: true, workerData: { host, port } });
  const listening = await new Promise<Listening>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  if (listening.refused !== undefined) {
    await worker.terminate();
    throw new GcError(`cannot serve at ${address}: ${listening.refused}`, {
      code: 'cannot-listen',
      suggestions: [`Name another address with ${flag}, as in :9464 or 127.0.0.1:9464.`],
    });
  }
  const shown = listening.host.includes(':') ? `[${listening.host}]` : listening.host;
  return {
    url: `http://${shown}:${listening.port}`,
    /** From now on, scrapes get this; the probe succeeds for so many milliseconds. */
    publish: (text: string, healthyFor: number) =>
      worker.postMessage({ text, healthyUntil: Date.now() + healthyFor }),
    close: async () => {
      await worker.terminate();
    },
  };
}

interface Listening {
  readonly refused?: string;
  readonly host: string;
  readonly port: number;
}

/** `:9464`, `9464`, `127.0.0.1:9464`, `[::1]:9464`; without a host, every address of this machine. */
export function listenAddress(text: string, flag: string) {
  const [, bracketed, plain, digits = ''] =
    /^(?:\[([^\]]+)\]:|([^:[\]]*):)?(\d{1,5})$/.exec(text) ?? [];
  if (digits !== '' && Number(digits) <= 65_535) {
    return { host: bracketed ?? (plain || '::'), port: Number(digits) };
  }
  throw usageError(`${flag} "${text}" is not an address`, [
    'Write it as in :9464, 127.0.0.1:9464 or [::1]:9464.',
  ]);
}

/** Runs in the thread, from its own text: it cannot use this module. */
function answerRequests(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { createServer } = process.getBuiltinModule('node:http');
  let { host } = workerData as { host: string };
  let text = '';
  let healthyUntil = Number.POSITIVE_INFINITY;
  const plain = 'text/plain; charset=utf-8';
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = plain) => {
      const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) };
      response.writeHead(status, headers).end(request.method === 'HEAD' ? '' : body);
    };
    const [path] = (request.url ?? '').split('?', 1);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      answer(405, 'only GET is allowed\n');
    } else if (path === '/metrics') {
      answer(200, text, 'text/plain; version=0.0.4; charset=utf-8');
    } else if (path === '/healthz') {
      const isHealthy = Date.now() < healthyUntil;
      answer(isHealthy ? 200 : 503, isHealthy ? 'ok\n' : 'the cluster was not read for too long\n');
    } else answer(404, 'see /metrics and /healthz\n');
  });
  server.on('error', (error: NodeJS.ErrnoException) => {
    // A machine without IPv6 has no :: to listen at.
    if (host === '::' && error.code === 'EAFNOSUPPORT') {
      host = '0.0.0.0';
      listen();
    } else parentPort?.postMessage({ refused: error.message, host, port: 0 });
  });
  const listen = () =>
    server.listen(workerData.port, host, () => {
      const bound = server.address();
      const port = typeof bound === 'object' && bound ? bound.port : 0;
      parentPort?.postMessage({ host, port });
    });
  parentPort?.on('message', (latest: { text: string; healthyUntil: number }) => {
    ({ text, healthyUntil } = latest);
  });
  listen();
}

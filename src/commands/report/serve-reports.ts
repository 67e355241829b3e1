import { Worker } from 'node:worker_threads';
import { pause } from '../../cluster/pacing.ts';
import { errorMessage, exitCodes, GcError, isGcError, usageError } from '../../errors.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { minute } from '../../kube/time.ts';
import { type Metric, prometheusText } from '../../output/prometheus-text.ts';
import { orInterrupted } from '../../perform/interrupted.ts';
import { Session } from '../../shell/input/session.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import { writeErr } from '../../shell/terminal/streams.ts';
import { publish } from './publish.ts';
import { reportMetrics } from './report-metrics.ts';
import type { Look, ReportFlags } from './take-look.ts';

/** So many looks may fail to end in time before the probe fails; at least ten minutes. */
const missedLooks = 3;

/**
 * Reads the cluster again and again and serves what was found, until a signal ends it. A look that fails is
 * counted, and what the last good one found stays.
 */
export async function serveReports(
  flags: ReportFlags,
  take: (session: Session) => Promise<Look>,
  { address, every }: { readonly address: string; readonly every: number },
): Promise<void> {
  const server = await startMetricsServer(address);
  const runs = { success: 0, error: 0 };
  let last: Look | undefined;
  const show = () => {
    const metrics = [...(last ? reportMetrics(last) : []), runsMetric(runs)];
    server.publish(prometheusText(metrics), Math.max(missedLooks * every, 10 * minute));
  };
  try {
    await withInterruption(async (signal) => {
      show();
      writeErr(`Serving ${server.url}/metrics`);
      while (!signal.aborted) {
        const began = performance.now();
        // A connection for each look, so that new kinds are seen and new credentials are used.
        const session = new Session(flags);
        const look = async () => {
          const found = await take(session);
          last = found;
          show();
          writeErr(summaryOf(found));
          await publish(flags, found, session);
        };
        try {
          await orInterrupted(look(), signal);
          runs.success += 1;
        } catch (error) {
          if (signal.aborted) break;
          const isFirst = runs.success + runs.error === 0;
          if (isFirst && isGcError(error) && error.exitCode === exitCodes.usage) throw error;
          runs.error += 1;
          writeErr(`error: ${errorMessage(error)}`);
        } finally {
          session.close();
        }
        show();
        await pause(Math.max(0, every - (performance.now() - began)), signal);
      }
    });
  } finally {
    await server.close();
  }
}

function runsMetric({ success, error }: { success: number; error: number }): Metric {
  return {
    name: 'kubectl_gc_report_runs_total',
    type: 'counter',
    help: 'How often the cluster was read and what was found was published, and how often that failed.',
    samples: [
      { labels: { result: 'success' }, value: success },
      { labels: { result: 'error' }, value: error },
    ],
  };
}

function summaryOf({ audit, forecast, took }: Look): string {
  const { error, warning, info } = audit.summary;
  const found = `${counted(error, 'error')}, ${counted(warning, 'warning')}, ${info} info`;
  const ahead = counted(
    forecast.items.filter(({ action }) => action === 'delete').length,
    'deletion',
  );
  const gaps = counted(audit.coverage.problems.length, 'problem');
  const objects = counted(audit.coverage.objects, 'object');
  return `Read ${objects} in ${(took / 1000).toFixed(1)} s with ${gaps}: ${found}; ${ahead} ahead.`;
}

/**
 * Serves /metrics and /healthz from a thread of its own: the simulation of a large cluster keeps this one
 * busy for seconds, in which a probe would end the pod.
 * @internal
 */
export async function startMetricsServer(address: string) {
  const { host, port } = addressOf(address);
  const worker = new Worker(`(${answerRequests})()`, { eval: true, workerData: { host, port } });
  const listening = await new Promise<Told>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  if (listening.refused !== undefined) {
    await worker.terminate();
    throw new GcError(`cannot serve at ${address}: ${listening.refused}`, {
      code: 'cannot-listen',
      suggestions: ['Name another address with --serve, as in :9464 or 127.0.0.1:9464.'],
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

interface Told {
  readonly refused?: string;
  readonly host: string;
  readonly port: number;
}

/** `:9464`, `9464`, `127.0.0.1:9464`, `[::1]:9464`; without a host, every address of this machine. */
function addressOf(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, digits = ''] =
    /^(?:\[([^\]]+)\]:|([^:[\]]*):)?(\d{1,5})$/.exec(text) ?? [];
  if (digits !== '' && Number(digits) <= 65_535) {
    return { host: bracketed ?? (plain || '::'), port: Number(digits) };
  }
  throw usageError(`--serve "${text}" is not an address`, [
    'Write it as in :9464, 127.0.0.1:9464 or [::1]:9464.',
  ]);
}

/** Runs in the thread, from its own text: it can use nothing of this module. */
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
  parentPort?.on('message', (told: { text: string; healthyUntil: number }) => {
    ({ text, healthyUntil } = told);
  });
  listen();
}

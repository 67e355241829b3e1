import { readFile } from 'node:fs/promises';
import { errorMessage, GcError, isGcError, usageError } from '../../errors.ts';
import { apiPath, refuseInvalid } from '../../kube/path-segment.ts';
import { readRefusal } from '../api-failure.ts';
import { createAgent } from '../connection/create-agent.ts';
import { exchange } from '../connection/http-exchange.ts';
import { Patience } from '../connection/patience.ts';
import { proxyForServer } from '../connection/proxy-for-server.ts';
import { requestWithRetry } from '../get.ts';

/** Milliseconds for one try. */
const longestPush = 30_000;

interface PushOptions {
  /** A file with the certificates of the authorities to trust instead of the well-known ones. */
  readonly ca?: string | undefined;
  readonly remark: (line: string) => void;
}

/** The address of a group of metrics: of the gateway with the grouping job, or as it was given. */
export function pushAddress(text: string, job: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(
      'invalid-url',
      `--push-to "${text}" is not an http or https address`,
      'Write it as in http://pushgateway.monitoring:9091.',
    );
  }
  if (!/\/metrics\/job(@base64)?\//.test(url.pathname)) {
    refuseInvalid('path segment', job);
    url.pathname = url.pathname.replace(/\/$/, '') + apiPath('metrics', 'job', job);
  }
  return url;
}

/** Replaces all metrics of a group at a Pushgateway; it is sent again while the gateway is busy or away for a moment. */
export async function pushMetrics(url: URL, text: string, options: PushOptions): Promise<void> {
  const { protocol, host, username, password } = url;
  const gateway = {
    name: `the Pushgateway ${protocol}//${host}`,
    proxy: proxyForServer(url, process.env),
  };
  const patience = new Patience(options);
  const agent = createAgent(url.href, gateway.proxy, await tlsOptions(options.ca));
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers = {
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    ...(login !== ':' && { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
  };
  const request = () =>
    exchange({
      url: `${protocol}//${host}${url.pathname}${url.search}`,
      method: 'PUT',
      headers,
      body: text,
      agent,
      awaited: patience.begin(`${gateway.name} to take the metrics`, longestPush),
      peer: gateway,
    });
  try {
    const answer = await requestWithRetry({ request }, { path: url.pathname });
    if (answer.status >= 200 && answer.status < 300) return;
    const { message } = await readRefusal(answer);
    throw new GcError(
      `${gateway.name} did not take the metrics: ${message} (HTTP ${answer.status})`,
      {
        code: 'push-refused',
        suggestions: ['Check the address, and the login that a proxy before it may ask for.'],
      },
    );
  } catch (error) {
    if (!isGcError(error) || !error.code.startsWith('tls-')) throw error;
    throw new GcError(error.message, {
      code: error.code,
      suggestions: ['Name the certificate of its authority with --push-ca FILE.'],
      cause: error,
    });
  } finally {
    agent.destroy();
  }
}

async function tlsOptions(ca: string | undefined) {
  if (ca === undefined) return {};
  try {
    return { ca: await readFile(ca) };
  } catch (cause) {
    throw new GcError(`cannot read the certificates ${ca}: ${errorMessage(cause)}`, {
      code: 'unreadable-input',
      cause,
    });
  }
}

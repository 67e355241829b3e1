import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ControlPlane } from '../test/support/control-plane.ts';

export interface SentRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The requests that a command sends to the API server, in their order: it talks to a server in between, over plain http. */
export async function requestsOf(
  plane: ControlPlane,
  [file, ...args]: readonly [string, ...string[]],
): Promise<readonly SentRequest[]> {
  const seen: SentRequest[] = [];
  const between = createServer((incoming, response) => {
    const { method = '', url = '/' } = incoming;
    const { host, connection, ...headers } = incoming.headers;
    const sent = { method, url, headers, body: '' };
    seen.push(sent);
    incoming.on('data', (chunk) => {
      sent.body += chunk;
    });
    const passedOn = request(new URL(url, plane.server), {
      method,
      ca: plane.authority.certificate,
      headers: { ...headers, authorization: `Bearer ${plane.adminToken}` },
    });
    passedOn.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      // A watch begins when it is answered, long before there is something to tell.
      response.flushHeaders();
      answer.pipe(response);
    });
    incoming.pipe(passedOn);
    response.once('close', () => passedOn.destroy());
  });
  await once(between.listen(0, '127.0.0.1'), 'listening');
  const { port } = between.address() as AddressInfo;
  const flags = ['--server', `http://127.0.0.1:${port}`];
  const child = spawn(file, [...args, ...flags], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'close');
  between.close();
  if (code !== 0) throw new Error(`${file} ended with ${code}`);
  return seen;
}

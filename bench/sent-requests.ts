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
  /** Bytes of the answer's body, as they come over the wire. */
  readonly received: number;
  /** The uid of the FlowSchema by which the API server queued the request. */
  readonly flowSchema: string | undefined;
}

/** Who asks, and the exit codes that are no failure. */
interface Asked {
  readonly token?: string;
  readonly codes?: readonly number[];
}

/** The requests that a command sends to the API server, in their order: it talks to a server in between, over plain http. */
export async function requestsOf(
  plane: ControlPlane,
  [file, ...args]: readonly [string, ...string[]],
  { token = plane.adminToken, codes = [0] }: Asked = {},
): Promise<readonly SentRequest[]> {
  const seen: { -readonly [K in keyof SentRequest]: SentRequest[K] }[] = [];
  const between = createServer((incoming, response) => {
    const { method = '', url = '/' } = incoming;
    const { host, connection, ...headers } = incoming.headers;
    const sent: (typeof seen)[number] = {
      method,
      url,
      headers,
      body: '',
      received: 0,
      flowSchema: undefined,
    };
    seen.push(sent);
    incoming.on('data', (chunk) => {
      sent.body += chunk;
    });
    const passedOn = request(new URL(url, plane.server), {
      method,
      ca: plane.authority.certificate,
      headers: { ...headers, authorization: `Bearer ${token}` },
    });
    passedOn.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      // A watch begins when it is answered, long before there is something to tell.
      response.flushHeaders();
      const flowSchema = answer.headers['x-kubernetes-pf-flowschema-uid'];
      sent.flowSchema = typeof flowSchema === 'string' ? flowSchema : undefined;
      answer.on('data', (chunk: Buffer) => {
        sent.received += chunk.length;
      });
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
  if (!codes.includes(Number(code))) throw new Error(`${file} ended with ${code}`);
  return seen;
}

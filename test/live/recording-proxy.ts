import { createServer, type IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ClusterAccess } from '../support/cluster.ts';

export interface RecordedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
}

export interface RecordingProxy {
  /** `http://127.0.0.1:40123`: whoever asks there is the administrator. */
  readonly address: string;
  /** What was asked since the start or the last `forget`. */
  readonly requests: RecordedRequest[];
  /** What was answered to them. */
  readonly bodies: Buffer[];
  forget(): void;
  /** Called before a request is passed on; the answer waits for it, and when it throws the connection drops. */
  before: (request: RecordedRequest) => Promise<void> | void;
  close(): Promise<void>;
}

/** Passes requests on to a control plane and remembers them. */
export async function startRecordingProxy(access: ClusterAccess): Promise<RecordingProxy> {
  const agent = new Agent({ ca: access.authority.certificate, keepAlive: true });
  const requests: RecordedRequest[] = [];
  const bodies: Buffer[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const recorded = { method: incoming.method ?? '', path: incoming.url ?? '' };
    requests.push(recorded);
    try {
      await proxy.before(recorded);
    } catch {
      outgoing.destroy();
      return;
    }
    const { host: _, 'accept-encoding': __, ...headers } = incoming.headers;
    const passedOn = httpsRequest(new URL(recorded.path, access.server), {
      agent,
      method: recorded.method,
      headers: { ...headers, authorization: `Bearer ${access.adminToken}` },
    });
    passedOn.once('error', () => outgoing.destroy());
    passedOn.once('response', async (answer) => {
      const body = await contentOf(answer);
      bodies.push(body);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
    });
    incoming.pipe(passedOn);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: RecordingProxy = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    bodies,
    forget: () => {
      requests.length = 0;
      bodies.length = 0;
    },
    before: () => undefined,
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

async function contentOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

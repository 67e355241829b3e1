import type { OutgoingHttpHeaders } from 'node:http';
import { type ClientEnvironment, processEnvironment } from './client-environment.ts';
import type {
  ApiRequest,
  ApiResponse,
  ClusterClient,
  ConnectionOptions,
} from './cluster-client.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { exchange } from './http-exchange.ts';
import { impersonationHeaders } from './impersonation-headers.ts';
import type { NetworkPeer } from './network-error.ts';
import { readText } from './read-text.ts';
import { goDuration } from './request-timeout.ts';
import { resolveConnection } from './resolve-connection.ts';
import { openSession, type Session } from './session.ts';
import { userAgent } from './user-agent.ts';

/**
 * Opens the connection that kubectl would open for the same flags, kubeconfig and environment.
 * Credentials are fetched here, which may run a plugin that talks to the user; the network is not
 * touched. Throws GcErrors: usage for settings that cannot work, failed for credentials.
 */
export function connect(options: ConnectionOptions): Promise<ClusterClient> {
  return connectIn(processEnvironment(), options);
}

/** `connect` for a given environment. */
export async function connectIn(
  environment: ClientEnvironment,
  options: ConnectionOptions,
): Promise<ClusterClient> {
  const settings = await resolveConnection(options, environment);
  const session = await openSession(settings, environment);
  return {
    server: settings.server,
    namespace: settings.namespace,
    request: (request) => send(request, settings, session),
    close: () => session.close(),
  };
}

async function send(
  request: ApiRequest,
  settings: ConnectionSettings,
  session: Session,
): Promise<ApiResponse> {
  const { path, method = 'GET', body, signal } = request;
  const headers = headersOf(request, settings);
  const attempt = async () => {
    const { agent, user, ...state } = await session.current();
    const authorization = settings.userinfo ?? state.authorization;
    const answer = await exchange({
      url: settings.server + withTimeout(path, settings.requestTimeout),
      method,
      headers: authorization === undefined ? headers : { ...headers, authorization },
      body,
      signal,
      agent,
      timeout: settings.requestTimeout,
      peer: peerOf(settings),
    });
    return { answer, user };
  };
  const first = await attempt();
  if (first.answer.status !== 401 || !(await session.renew(first.user))) return first.answer;
  await readText(first.answer.body, 64 * 1024);
  return (await attempt()).answer;
}

/** Tells the server too, as kubectl does, so that it does not work on after the client has gone. */
function withTimeout(path: string, milliseconds: number): string {
  if (milliseconds === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}timeout=${goDuration(milliseconds)}`;
}

function headersOf(request: ApiRequest, settings: ConnectionSettings): OutgoingHttpHeaders {
  return {
    accept: 'application/json',
    ...(!settings.cluster.disableCompression && { 'accept-encoding': 'gzip' }),
    'user-agent': userAgent,
    ...impersonationHeaders(settings.impersonation),
    ...request.headers,
  };
}

function peerOf({ server, proxy, origin }: ConnectionSettings): NetworkPeer {
  return {
    name: `the API server ${server}`,
    proxy,
    missingKubeconfig: origin.missingKubeconfig,
  };
}

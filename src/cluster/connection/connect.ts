import type { OutgoingHttpHeaders } from 'node:http';
import packageJson from '../../../package.json' with { type: 'json' };
import { formatGoDuration } from '../../syntax/go-syntax.ts';
import { drain } from '../read-body.ts';
import { ClearedWrite } from '../write/clearance.ts';
import { type ClientEnvironment, processEnvironment } from './client-environment.ts';
import type {
  ApiRequest,
  ApiResponse,
  ClusterClient,
  ConnectionOptions,
} from './cluster-client.ts';
import { type ConnectionSettings, resolveConnection } from './connection-settings.ts';
import { exchange } from './http-exchange.ts';
import type { Impersonation, LoadedKubeconfig } from './kubeconfig.ts';
import { type AuthenticatedConnections, openLogin } from './login.ts';
import { type AwaitedAnswer, RequestDeadlines } from './patience.ts';

/**
 * Opens the connection that kubectl would open for the same flags, kubeconfig and environment.
 * Credentials are fetched here, which may run a plugin that talks to the user; the network is not
 * touched. `remark` receives what is waited for, `warn` the warnings of the
 * server. Throws GcErrors: usage for settings that cannot work, failed for credentials.
 */
export async function connect(
  options: ConnectionOptions,
  surroundings: Partial<ClientEnvironment> = {},
  kubeconfig?: LoadedKubeconfig,
): Promise<ClusterClient> {
  const own = { ...processEnvironment(), ...surroundings };
  const { kuberc } = options;
  const environment = kuberc ? { ...own, env: { ...own.env, KUBERC: kuberc } } : own;
  const settings = await resolveConnection(options, environment, kubeconfig);
  const login = await openLogin(settings, environment);
  const patience = new RequestDeadlines(environment);
  return {
    server: settings.server,
    namespace: settings.namespace,
    request: async (request) => {
      refuseUncleared(request, options);
      const answer = await sendRequest(request, settings, login, patience);
      // kubectl prints the warnings of each answer; a list here reads kinds that the user did not
      // name, deprecated ones among them.
      if ((request.method ?? 'GET') !== 'GET') {
        for (const text of warningsIn(answer.headers.warning)) environment.warn?.(text);
      }
      return answer;
    },
    close: () => login.close(),
  };
}

/** The compiler lets no request through that was not cleared; `as` and `any` do. */
function refuseUncleared(request: ApiRequest, { asksOnly }: ConnectionOptions): void {
  const { method = 'GET', path } = request;
  if (method === 'GET') return;
  const cleared = 'cleared' in request && ClearedWrite.is(request.cleared) && request.cleared;
  if (!cleared || !path.startsWith(cleared.write.path))
    throw new Error(`${method} ${path} was not cleared`);
  if (asksOnly && !cleared.isQuestion)
    throw new Error(`${method} ${path} was to be sent by a command that only shows`);
}

async function sendRequest(
  request: ApiRequest,
  settings: ConnectionSettings,
  login: AuthenticatedConnections,
  patience: RequestDeadlines,
): Promise<ApiResponse> {
  const { path, method = 'GET', body, signal } = request;
  const headers = headersOf(request, settings);
  const attempt = async () => {
    const { agent, http2, user, ...state } = await login.current();
    const authorization = settings.userinfo ?? state.authorization;
    const asked = {
      url: settings.server + withTimeout(path, settings.requestTimeout),
      method,
      body,
      headers: authorization === undefined ? headers : { ...headers, authorization },
      signal,
      awaited: awaitedAnswer(request, settings, patience),
      peer: { name: `the API server ${settings.server}`, ...settings },
    };
    const isAdmitted = !isWatch(request) || http2?.admitsWatch();
    const wantsHttp2 = request.prefersHttp2 || (settings.prefersHttp2 && isAdmitted);
    const session = wantsHttp2 ? await http2?.next(asked) : undefined;
    const answer = session
      ? await (await import('./http2-exchange.ts')).exchangeOverHttp2(session, asked)
      : await exchange({ ...asked, agent, isWatch: isWatch(request) });
    return { answer, user };
  };
  const first = await attempt();
  if (first.answer.status !== 401 || !(await login.renew(first.user))) return first.answer;
  await drain(first.answer);
  return (await attempt()).answer;
}

/** The texts of `299 - "text"`, which may be repeated. Mirrors ParseWarningHeaders of apimachinery. */
function warningsIn(header = ''): string[] {
  return [...header.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1'),
  );
}

/** A watch stays open until its server or its reader ends it. */
function isWatch({ path }: ApiRequest): boolean {
  return path.includes('watch=true');
}

function awaitedAnswer(
  request: ApiRequest,
  { server, requestTimeout }: ConnectionSettings,
  patience: RequestDeadlines,
): AwaitedAnswer | undefined {
  if (isWatch(request) && requestTimeout === 0) return undefined;
  const { path, method = 'GET' } = request;
  const [asked] = path.split('?', 1);
  return patience.begin(`the API server ${server} to answer ${method} ${asked}`, requestTimeout);
}

/** Sends the timeout to the server, as kubectl does, so that it stops working when the client does. */
function withTimeout(path: string, milliseconds: number): string {
  if (milliseconds === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}timeout=${encodeURIComponent(formatGoDuration(milliseconds))}`;
}

function headersOf(request: ApiRequest, settings: ConnectionSettings): OutgoingHttpHeaders {
  return {
    accept: 'application/json',
    ...(!settings.cluster['disable-compression'] && { 'accept-encoding': 'gzip' }),
    'user-agent': userAgent,
    ...impersonationHeaders(settings.impersonation),
    ...request.headers,
  };
}

/**
 * The headers of an impersonated request; a value per group and per extra, sent as repeated lines.
 * The server must get all of them or none: any of them without a user name is refused beforehand.
 */
function impersonationHeaders(user: Impersonation): Readonly<Record<string, string | string[]>> {
  if (user.as === '') return {};
  const headers: Record<string, string | string[]> = { 'Impersonate-User': headerValue(user.as) };
  if (user['as-uid'] !== '') headers['Impersonate-Uid'] = headerValue(user['as-uid']);
  const groups = user['as-groups'].map(headerValue);
  if (groups.length > 0) headers['Impersonate-Group'] = groups;
  for (const [key, values] of Object.entries(user['as-user-extra'])) {
    if (values.length > 0)
      headers[`Impersonate-Extra-${escapeHeaderKey(key)}`] = values.map(headerValue);
  }
  return headers;
}

/** Node writes a character per byte; kubectl sends UTF-8. */
function headerValue(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Percent-encodes what may not stand in a header's name, `%` included. */
function escapeHeaderKey(key: string): string {
  return Buffer.from(key)
    .toString('latin1')
    .replace(/[^!#$&'*+\-.^_`|~0-9A-Za-z]/g, escapeByte);
}

function escapeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/**
 * What requests call themselves in audit logs: `kubectl-gc/1.2.3`.
 * @internal
 */
export const userAgent = `${packageJson.name}/${packageJson.version}`;

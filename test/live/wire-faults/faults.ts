import type { Disturbance, ProxiedRequest } from '../proxy.ts';
import type { Random } from '../seeded-random.ts';

/** What a request is for. */
export type Sort =
  | 'discovery'
  | 'list'
  | 'page'
  | 'get'
  | 'watch'
  | 'review'
  | 'dry run'
  | 'DELETE'
  | 'PATCH'
  | 'POST'
  | 'PUT';

export function sortOf({ method, path }: ProxiedRequest, body: string): Sort {
  const [at = '', query = ''] = path.split('?');
  if (method !== 'GET') {
    if (at.includes('accessreviews') || at.includes('rulesreviews')) return 'review';
    return query.includes('dryRun') || body.includes('"dryRun"') ? 'dry run' : (method as Sort);
  }
  if (query.includes('watch=true')) return 'watch';
  const group = /^\/(api\/[^/]+|apis\/[^/]+\/[^/]+)\/(.+)$/.exec(at)?.[2];
  if (group === undefined) return 'discovery';
  if (query.includes('continue=')) return 'page';
  const [first, second, ...rest] = group.split('/');
  const isNamed =
    first === 'namespaces' && rest.length > 0 ? rest.length > 1 : second !== undefined;
  return isNamed ? 'get' : 'list';
}

export interface Fault {
  readonly name: string;
  /** What becomes of the n-th request that it meets. */
  readonly strike: (request: ProxiedRequest, count: number) => Disturbance;
  /** The only sort of requests that it makes sense for. */
  readonly only?: readonly Sort[];
  /** Resolves once what it broke is whole again; the commands are given the time. */
  readonly whole?: () => Promise<void>;
}

const json = { 'content-type': 'application/json' };
const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: '',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** As an API server refuses, as what stands before it does, or without a word. */
function refusal(code: number, form: number, headers = {}): Disturbance {
  if (form === 0 && code !== 404) {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code };
    const body = JSON.stringify({ ...status, reason: reasons[code], message: `refused (${code})` });
    return { status: code, headers: { ...json, ...headers }, body };
  }
  if (form === 1)
    return { status: code, headers: { 'content-type': 'text/html', ...headers }, body: page };
  const isPath = code === 404 ? '404 page not found\n' : '';
  return { status: code, headers: { 'content-type': 'text/plain', ...headers }, body: isPath };
}

const page = '<html><body>Please log in</body></html>';

/** A list of one made-up object, that goes on at this token. */
function endless(request: ProxiedRequest, token: string): Disturbance {
  const [, within] = /\/namespaces\/([^/]+)\//.exec(request.path) ?? [];
  const metadata = { name: `page-${token}`, ...(within && { namespace: within }) };
  const list = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' };
  const body = { ...list, metadata: { continue: token }, items: [{ metadata }] };
  return { status: 200, headers: json, body: JSON.stringify(body) };
}

const lists = ['list', 'page'] as const;

/** All faults; `elsewhere` is the address of another server. `isQuick`: none that is waited for long. */
export function faultsWith(
  elsewhere: string,
  isQuick: boolean,
): readonly ((random: Random) => Fault)[] {
  const status = (code: number) => (random: Random) => {
    const form = random(3);
    return { name: `${code}`, strike: () => refusal(code, form) };
  };
  const later = (seconds: string) => (random: Random) => {
    const form = random(3);
    const headers = seconds === '' ? {} : { 'retry-after': seconds };
    return {
      name: `429 ${seconds || 'without a time'}`,
      strike: () => refusal(429, form, headers),
    };
  };
  const broken = (name: Exclude<Disturbance, object | undefined>) => () => ({
    name,
    strike: () => name,
  });
  return [
    ...[401, 403, 404, 409, 410, 422, 500, 503, 504].map(status),
    later(''),
    later('1'),
    ...(isQuick ? [] : [later('86400')]),
    (random) => {
      const code = [301, 302, 307, 308][random(4)] ?? 302;
      const strike = ({ path }: ProxiedRequest) => ({
        status: code,
        headers: { location: `${elsewhere}${path}` },
      });
      return { name: 'redirect', strike };
    },
    broken('drop'),
    broken('lose'),
    broken('truncate'),
    broken('cut'),
    broken('stall'),
    broken('endless'),
    broken('impostor'),
    () => ({
      name: 'a login page',
      strike: () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: page }),
    }),
    () => ({
      name: 'other JSON',
      strike: () => ({ status: 200, headers: json, body: '{"error":"login required"}' }),
    }),
    () => ({
      name: 'pages without end',
      only: lists,
      strike: (request, count) => endless(request, `more-${count}`),
    }),
    () => ({
      name: 'an endless page',
      only: lists,
      strike: (request) => endless(request, 'more'),
    }),
  ];
}

/** A server of the control plane that is killed and started again while a request is on its way, or before. */
export function restarting(
  name: string,
  restart: () => Promise<void>,
): readonly ((random: Random) => Fault)[] {
  return (['drop', undefined] as const).map((disturbance) => () => {
    let restarted = Promise.resolve();
    const strike = () => {
      restarted = restart();
      return disturbance;
    };
    return { name: `${name} is killed`, strike, whole: () => restarted };
  });
}

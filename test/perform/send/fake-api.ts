import type { ApiRequest } from '../../../src/cluster/connection/cluster-client.ts';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { clientThat, type FakeClient } from '../../cluster/fake-client.ts';

export interface FakeAnswer {
  readonly status: number;
  readonly body: object;
}

/** An API server in memory that stores what is POSTed, and takes JSON patches of whole fields and what is applied. */
export interface FakeApi extends FakeClient {
  readonly stored: Map<string, KubeObject>;
  /** `POST /api/…` of every write, in order. */
  readonly writes: string[];
  /** Asked before each request; an answer or an error takes the place of the server's. */
  before: (request: ApiRequest) => FakeAnswer | undefined;
  /** Called after each request that the server has answered. */
  after: (request: ApiRequest) => void;
}

export function fakeApi(...objects: readonly [path: string, object: KubeObject][]): FakeApi {
  let created = 0;
  const client = clientThat((request) => {
    const { method = 'GET', path } = request;
    if (method !== 'GET') api.writes.push(`${method} ${path}`);
    const answer = api.before(request) ?? serve(request);
    api.after(request);
    return answer;
  });
  const api: FakeApi = Object.assign(client, {
    stored: new Map(objects),
    writes: [],
    before: () => undefined,
    after: () => undefined,
  });

  function serve({ method = 'GET', path, headers, body = '' }: ApiRequest): FakeAnswer {
    const [at = '', query = ''] = path.split('?');
    const isDry = query.includes('dryRun=All');
    const object = api.stored.get(at.replace(/\/status$/, ''));
    if (method === 'GET') return object ? { status: 200, body: object } : refusal(404, 'NotFound');
    if (method === 'POST') {
      const sent = JSON.parse(body) as KubeObject;
      const place = `${at}/${sent.metadata.name}`;
      if (api.stored.has(place)) return refusal(409, 'AlreadyExists');
      const uid = `new-${sent.metadata.name}`;
      created += 1;
      const stored = {
        ...sent,
        metadata: { ...sent.metadata, uid, resourceVersion: `${created}` },
      };
      if (!isDry) api.stored.set(place, stored);
      return { status: 201, body: stored };
    }
    if (!object) return refusal(404, 'NotFound');
    const isApplied = headers?.['content-type'] === 'application/apply-patch+yaml';
    const patched = isApplied ? applied(object, JSON.parse(body)) : patch(object, JSON.parse(body));
    if (!patched) return refusal(422, 'Invalid');
    if (!isDry) api.stored.set(at.replace(/\/status$/, ''), patched);
    return { status: 200, body: patched };
  }
  return api;
}

export function refusal(status: number, reason: string, message = reason): FakeAnswer {
  const details = status === 404 ? { name: 'it' } : {};
  return {
    status,
    body: { kind: 'Status', status: 'Failure', reason, message, code: status, details },
  };
}

/** Fields are replaced whole; one of another uid is refused. */
function applied(object: KubeObject, sent: KubeObject): KubeObject | undefined {
  const { uid } = object.metadata;
  if (sent.metadata.uid !== uid) return undefined;
  return { ...object, ...sent, metadata: { ...object.metadata, ...sent.metadata } };
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

function patch(object: KubeObject, operations: readonly Operation[]): KubeObject | undefined {
  const copy = structuredClone(object);
  for (const { op, path, value } of operations) {
    const names = path
      .slice(1)
      .split('/')
      .map((name) => name.replaceAll('~1', '/'));
    const last = names.pop() ?? '';
    const parent = names.reduce<Record<string, unknown>>(
      (fields, name) => fields[name] as Record<string, unknown>,
      copy,
    );
    if (op === 'test' && parent[last] !== value) return undefined;
    if (op === 'remove') delete parent[last];
    if (op === 'add') parent[last] = value;
  }
  return copy;
}

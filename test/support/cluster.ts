import { type ExecFileException, execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { kubectlBeside } from '../../scripts/control-plane.mjs';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { apiVersionOf } from '../../src/kube/resource-type.ts';
import { type Authority, issueCertificate } from './certificates.ts';
import { putIntoEtcd } from './etcd-storage.ts';
import { kubeconfigOf } from './kubeconfig.ts';
import { addressOf, pathOf } from './object-address.ts';
import { servedTypes } from './served-types.ts';

/** How to reach a running control plane: plain data, so that it can be handed to another process. */
export interface ClusterAccess {
  /** `https://127.0.0.1:40123`. */
  readonly server: string;
  /** `http://127.0.0.1:40121`. */
  readonly etcd: string;
  /** `v1.36.3`. */
  readonly serverVersion: string;
  /** Where etcd, kube-apiserver, kube-controller-manager and kubectl are. */
  readonly binaries: string;
  /** Logs and kubeconfigs; removed when the control plane stops. */
  readonly directory: string;
  /** A kubeconfig that may do everything. */
  readonly kubeconfigPath: string;
  /** The bearer token of that kubeconfig's user. */
  readonly adminToken: string;
  readonly authority: Authority;
}

export type Login = (
  | { readonly user: string; readonly groups?: readonly string[] }
  | { readonly token: string }
) & { readonly namespace?: string };

export interface KubectlOptions {
  readonly kubeconfig?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface KubectlResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface AnswerTo {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Content {
  readonly metadata?: object;
  readonly [field: string]: unknown;
}

/**
 * Talks to a control plane that some process on this machine has started. Paths stand for themselves; else a text names
 * an object, as `Deployment shop/web`, or all of a kind, as `Pod shop/`. What does not resolve with an answer rejects
 * on 4xx and 5xx.
 */
export function connect(access: ClusterAccess) {
  const agent = new Agent({ ca: access.authority.certificate, keepAlive: true });
  let logins = 0;

  /** One request as the administrator; resolves with every status. */
  function request(path: string, options: AnswerTo = {}): Promise<Answer> {
    const { method = 'GET', headers } = options;
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    // Without a length Node sends a DELETE's body unframed.
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest(new URL(placeOf(path), access.server), {
        agent,
        method,
        headers: {
          authorization: `Bearer ${access.adminToken}`,
          ...(length > 0 && { 'content-type': 'application/json', 'content-length': length }),
          ...headers,
        },
      });
      outgoing.once('error', reject).once('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .once('error', reject)
          .once('end', () =>
            resolve({
              status: incoming.statusCode ?? 0,
              contentType: incoming.headers['content-type'] ?? '',
              body: Buffer.concat(chunks).toString(),
            }),
          );
      });
      outgoing.end(body);
    });
  }

  async function parsed<T>(path: string, options: AnswerTo): Promise<T> {
    const answer = await request(path, options);
    if (answer.status < 400) return JSON.parse(answer.body) as T;
    throw new Error(`${options.method ?? 'GET'} ${path} answered ${answer.status}: ${answer.body}`);
  }

  /** Does a GET of this path or absolute address answer 200? */
  const isHealthy = async (path: string) => (await request(path)).status === 200;

  /** The parsed JSON of a GET. */
  const get = <T = KubeObject>(path: string, accept = 'application/json') =>
    parsed<T>(path, { headers: { accept } });
  /** The same; undefined where nothing is. */
  async function find<T = KubeObject>(path: string): Promise<T | undefined> {
    const { status, body } = await request(path);
    return status === 200 ? (JSON.parse(body) as T) : undefined;
  }
  /** The items of a list, each with its kind. */
  async function list<T = KubeObject>(path: string): Promise<T[]> {
    const { apiVersion, kind, items } = await get<KubeObject & { readonly items: T[] }>(path);
    return items.map((item) => ({ apiVersion, kind: kind.replace(/List$/, ''), ...item }));
  }
  /** Their names, sorted. */
  const names = async (path: string) =>
    (await list(path)).map(({ metadata }) => String(metadata.name)).sort();

  /** Creates an object and resolves with what was stored. */
  const create = <T = KubeObject>(path: string, object: unknown) =>
    parsed<T>(path, { method: 'POST', body: object });
  /** Deletes what is there, with these options. */
  const remove = (path: string, options?: object) =>
    request(path, { method: 'DELETE', body: options });

  /** Creates the object that this text names, as `Deployment shop/web`, with what else it has. */
  function make<T = KubeObject>(text: string, { metadata, ...content }: Content = {}) {
    const { apiVersion, kind, name, collection } = addressOf(text);
    return create<T>(collection, { apiVersion, kind, metadata: { name, ...metadata }, ...content });
  }

  const merging = (changes: unknown) => ({
    method: 'PATCH',
    body: changes,
    headers: { 'content-type': 'application/merge-patch+json' },
  });
  /** Merges `changes` into an object and resolves with the result. */
  const patch = <T>(path: string, changes: unknown) => parsed<T>(path, merging(changes));
  /** The same for its status. */
  const report = (path: string, status: object) => patch(`${placeOf(path)}/status`, { status });
  /** Merges `changes`, too; resolves with every status. */
  const merge = (path: string, changes: unknown) => request(path, merging(changes));

  /** Writes a kubeconfig for a user with a client certificate, or for a token's; resolves with its path. */
  function kubeconfigFor(login: Login): string {
    logins += 1;
    const path = join(access.directory, `kubeconfig-${process.pid}-${logins}`);
    writeFileSync(path, kubeconfig(access, login));
    return path;
  }

  /** Creates the ServiceAccount if it is missing and resolves with a token of it. */
  async function serviceAccountToken(namespace: string, name: string): Promise<string> {
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    const made = await request(accounts, { method: 'POST', body: { metadata: { name } } });
    if (made.status >= 400 && made.status !== 409) throw new Error(made.body);
    const answer = await create<{ status: { token: string } }>(`${accounts}/${name}/token`, {
      spec: {},
    });
    return answer.status.token;
  }

  /** Stores objects past the API server: uid and times stay as given, or are made up when unset. */
  async function putObjects(objects: readonly KubeObject[]): Promise<KubeObject[]> {
    const types = await servedTypes(get);
    return putIntoEtcd(access.etcd, objects, (apiVersion, kind) =>
      types.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion),
    );
  }

  return {
    ...access,
    /** Runs the real kubectl, as the administrator unless told otherwise; never rejects on an exit code. */
    kubectl: (args: readonly string[], options?: KubectlOptions) =>
      runKubectl(access, args, options),
    request,
    isHealthy,
    get,
    find,
    list,
    names,
    create,
    make,
    remove,
    patch,
    report,
    merge,
    kubeconfigFor,
    serviceAccountToken,
    putObjects,
    /** Drops the connections, so that the process can end. */
    disconnect: () => agent.destroy(),
  };
}

export type Cluster = ReturnType<typeof connect>;

function placeOf(path: string): string {
  return /^(\/|https?:)/.test(path) ? path : pathOf(path);
}

/** A kubeconfig as JSON, which is YAML. */
export function kubeconfig(
  access: Pick<ClusterAccess, 'server' | 'authority'>,
  login: Login,
): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  let user: Record<string, string>;
  if ('token' in login) {
    user = { token: login.token };
  } else {
    const { certificate, key } = issueCertificate(access.authority, {
      commonName: login.user,
      organizations: login.groups ?? [],
    });
    user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
  }
  const cluster = {
    server: access.server,
    'certificate-authority-data': base64(access.authority.certificate),
  };
  return JSON.stringify(kubeconfigOf(cluster, user, { namespace: login.namespace }));
}

function runKubectl(
  access: ClusterAccess,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<KubectlResult> {
  const env = {
    ...process.env,
    // Its discovery cache belongs to this cluster alone: the next one may get the same port.
    KUBECACHEDIR: join(access.directory, 'kubectl-cache'),
    KUBECONFIG: options.kubeconfig ?? access.kubeconfigPath,
    ...options.env,
  };
  return new Promise((resolve, reject) => {
    const child = execFile(
      kubectlBeside(access.binaries),
      args,
      { env, maxBuffer: 1 << 28 },
      (error: ExecFileException | null, stdout, stderr) => {
        if (error && typeof error.code !== 'number') reject(error);
        else resolve({ stdout, stderr, code: Number(error?.code ?? 0) });
      },
    );
    // A kubectl that refuses its flags ends without reading.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
  });
}

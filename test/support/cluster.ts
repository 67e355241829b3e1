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
import { addressOf } from './object-address.ts';
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

export interface Cluster extends ClusterAccess {
  /** Runs the real kubectl, as the administrator unless told otherwise; never rejects on an exit code. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<KubectlResult>;
  /** One request as the administrator; resolves with every status. */
  request(path: string, options?: AnswerTo): Promise<Answer>;
  /** Does a GET of this path or absolute address answer 200? */
  isHealthy(path: string): Promise<boolean>;
  /** The parsed JSON of a GET; rejects on 4xx and 5xx. */
  get<T>(path: string, accept?: string): Promise<T>;
  /** Creates an object and resolves with what was stored; rejects on 4xx and 5xx. */
  create<T>(path: string, object: unknown): Promise<T>;
  /** Creates the object that this text names, as `Deployment shop/web`, with what else it has. */
  make<T = KubeObject>(text: string, content?: Content): Promise<T>;
  /** Merges `changes` into an object and resolves with the result; rejects on 4xx and 5xx. */
  patch<T>(path: string, changes: unknown): Promise<T>;
  /** The same; resolves with every status. */
  merge(path: string, changes: unknown): Promise<Answer>;
  /** Writes a kubeconfig for a user with a client certificate, or for a token's; resolves with its path. */
  kubeconfigFor(login: Login): string;
  /** Creates the ServiceAccount if it is missing and resolves with a token of it. */
  serviceAccountToken(namespace: string, name: string): Promise<string>;
  /** Stores objects past the API server: uid and times stay as given, or are made up when unset. */
  putObjects(objects: readonly KubeObject[]): Promise<KubeObject[]>;
  /** Drops the connections, so that the process can end. */
  disconnect(): void;
}

/** Talks to a control plane that some process on this machine has started. */
export function connect(access: ClusterAccess): Cluster {
  const agent = new Agent({ ca: access.authority.certificate, keepAlive: true });
  let logins = 0;

  function request(path: string, options: AnswerTo = {}): Promise<Answer> {
    const { method = 'GET', headers } = options;
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    // Without a length Node sends a DELETE's body unframed.
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest(new URL(path, access.server), {
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

  const isHealthy = async (path: string) => (await request(path)).status === 200;

  const get = <T>(path: string, accept = 'application/json') =>
    parsed<T>(path, { headers: { accept } });

  const create = <T>(path: string, object: unknown) =>
    parsed<T>(path, { method: 'POST', body: object });

  function make<T = KubeObject>(text: string, { metadata, ...content }: Content = {}) {
    const { apiVersion, kind, name, collection } = addressOf(text);
    return create<T>(collection, { apiVersion, kind, metadata: { name, ...metadata }, ...content });
  }

  const merging = (changes: unknown) => ({
    method: 'PATCH',
    body: changes,
    headers: { 'content-type': 'application/merge-patch+json' },
  });
  const patch = <T>(path: string, changes: unknown) => parsed<T>(path, merging(changes));
  const merge = (path: string, changes: unknown) => request(path, merging(changes));

  function kubeconfigFor(login: Login): string {
    logins += 1;
    const path = join(access.directory, `kubeconfig-${process.pid}-${logins}`);
    writeFileSync(path, kubeconfig(access, login));
    return path;
  }

  async function serviceAccountToken(namespace: string, name: string): Promise<string> {
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    const made = await request(accounts, { method: 'POST', body: { metadata: { name } } });
    if (made.status >= 400 && made.status !== 409) throw new Error(made.body);
    const answer = await create<{ status: { token: string } }>(`${accounts}/${name}/token`, {
      spec: {},
    });
    return answer.status.token;
  }

  async function putObjects(objects: readonly KubeObject[]): Promise<KubeObject[]> {
    const types = await servedTypes(get);
    return putIntoEtcd(access.etcd, objects, (apiVersion, kind) =>
      types.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion),
    );
  }

  return {
    ...access,
    kubectl: (args, options) => runKubectl(access, args, options),
    request,
    isHealthy,
    get,
    create,
    make,
    patch,
    merge,
    kubeconfigFor,
    serviceAccountToken,
    putObjects,
    disconnect: () => agent.destroy(),
  };
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
    child.stdin?.end(options.input ?? '');
  });
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { auditPolicy } from '../support/audit-policy.ts';
import type { Answer } from '../support/cluster.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { exampleDefinitions } from '../support/custom-resources.ts';
import { gc } from '../support/run-gc.ts';
import { podRequestApi } from './deleted-gates.ts';

export interface AuditOptions {
  readonly level: 'Metadata' | 'Request' | 'RequestResponse';
  /** kube-controller-manager's --use-service-account-credentials. */
  readonly usesServiceAccounts: boolean;
}

/** Those who send requests: their user names by their tokens. */
const people = ['alice', 'bob', 'carol', 'dana', 'drainer', 'mallory'] as const;
export const nodes = ['worker-1', 'worker-2', 'worker-3', 'worker-4', 'worker-5'] as const;
const accounts = {
  deployer: 'ci/deployer',
  autoscaler: 'ops/autoscaler',
  operator: 'ops/database-operator',
  flux: 'flux-system/kustomize-controller',
  argo: 'argocd/argocd-application-controller',
} as const;

type Person = (typeof people)[number];
type Account = keyof typeof accounts;
export type Actor = Person | Account | `system:node:${(typeof nodes)[number]}` | 'admin';

/** As the API server knows them. */
export function userOf(actor: Actor): string {
  const account = accounts[actor as Account];
  return account === undefined ? actor : `system:serviceaccount:${account.replace('/', ':')}`;
}

export interface Stage {
  readonly plane: ControlPlane;
  readonly options: AuditOptions;
  readonly folder: string;
  /** A token of this actor. */
  token(actor: Actor): string;
  /** A kubeconfig of this actor. */
  kubeconfig(actor: Actor): string;
  send(actor: Actor, method: string, path: string, body?: unknown): Promise<Answer>;
  /** What the API server has logged so far, line by line. */
  auditLog(): string[];
  readonly auditPath: string;
  /** Programs that play a part; they stop with the stage. */
  readonly running: { stop(): Promise<void> }[];
  saveSnapshot(path: string): Promise<void>;
  stop(): Promise<void>;
}

const everyone = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
const binding = (name: string, subjects: readonly object[]) => ({
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'everything' },
  subjects,
});

/** As most clusters have it: no reads, no Events, no bodies of Secrets. */
const policy = (level: string) =>
  auditPolicy([
    {
      level: 'None',
      resources: [
        { group: '', resources: ['events'] },
        { group: 'events.k8s.io', resources: ['events'] },
        { group: 'authentication.k8s.io' },
        { group: 'authorization.k8s.io' },
      ],
    },
    {
      level: 'Metadata',
      resources: [{ group: '', resources: ['secrets', 'serviceaccounts/token'] }],
    },
    { level },
  ]);

/** A control plane with an audit log, without controllers yet, and those who will delete objects in it. */
export async function startStage(
  options: AuditOptions,
  definitions: readonly KubeObject[],
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-deleted-'));
  const policyPath = join(folder, 'policy.json');
  const auditPath = join(folder, 'audit.log');
  writeFileSync(policyPath, JSON.stringify(policy(options.level)));
  const staff = people.map((user) => ({
    token: `token-of-${user}`,
    user,
    groups: user === 'mallory' ? ['visitors'] : ['staff'],
  }));
  const kubelets = nodes.map((node) => ({
    token: `token-of-system:node:${node}`,
    user: `system:node:${node}`,
    groups: ['system:nodes'],
  }));
  const plane = await startControlPlane({
    controllers: 'none',
    definitions: [...exampleDefinitions, ...definitions],
    tokens: [...staff, ...kubelets],
    apiServerArgs: [
      `--audit-policy-file=${policyPath}`,
      `--audit-log-path=${auditPath}`,
      '--audit-log-mode=blocking',
      ...podRequestApi,
    ],
  });
  const tokens = await enter(plane);
  const kubeconfigs = new Map<Actor, string>();
  const running: Stage['running'] = [];
  const token = (actor: Actor) => tokens.get(actor) ?? `token-of-${actor}`;

  function kubeconfig(actor: Actor): string {
    const known = kubeconfigs.get(actor) ?? makeKubeconfig(actor);
    kubeconfigs.set(actor, known);
    return known;
  }

  function makeKubeconfig(actor: Actor): string {
    if (actor === 'admin') return plane.kubeconfigPath;
    // She logs in with a client certificate, as a member of a group.
    if (actor === 'carol') return plane.kubeconfigFor({ user: 'carol', groups: ['staff'] });
    return plane.kubeconfigFor({ token: token(actor) });
  }

  function send(actor: Actor, method: string, path: string, body?: unknown) {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return plane.request(path, {
      method,
      body,
      headers: {
        ...(actor !== 'admin' && { authorization: `Bearer ${token(actor)}` }),
        'content-type': type,
        'user-agent': agentOf(actor),
      },
    });
  }

  return {
    plane,
    options,
    folder,
    token,
    kubeconfig,
    send,
    auditPath,
    running,
    auditLog: () => readFileSync(auditPath, 'utf8').split('\n').filter(Boolean),
    saveSnapshot: async (path) => {
      const run = await gc(['snapshot', 'save', path], {
        env: { KUBECONFIG: plane.kubeconfigPath },
      });
      if (run.code !== 0) throw new Error(run.stderr);
    },
    stop: async () => {
      for (const program of running.splice(0)) await program.stop();
      await plane.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function agentOf(actor: Actor): string {
  if (actor.startsWith('system:node:')) return 'kubelet/v1.36.3 (linux/amd64) kubernetes/0000000';
  if (actor === 'operator') return 'database-operator/v2.1.0 (linux/amd64) kubernetes/$Format';
  if (actor === 'argo') return 'argocd-application-controller/v3.2.0';
  if (actor === 'flux') return 'kustomize-controller/v1.9.6 (linux/amd64) kubernetes/$Format';
  return 'curl/8.14.1';
}

/** Permits staff, kubelets and service accounts everything, and mallory to read. */
async function enter(plane: ControlPlane): Promise<Map<Actor, string>> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const apiGroup = 'rbac.authorization.k8s.io';
  await plane.create(`${rbac}/clusterroles`, {
    metadata: { name: 'everything' },
    rules: [everyone],
  });
  const group = (name: string) => ({ apiGroup, kind: 'Group', name });
  const manager = { apiGroup, kind: 'User', name: 'system:kube-controller-manager' };
  await plane.create(
    `${rbac}/clusterrolebindings`,
    binding('everyone', [group('staff'), group('system:nodes'), manager]),
  );
  const tokens = new Map<Actor, string>();
  for (const [actor, place] of Object.entries(accounts)) {
    const [namespace = '', name = ''] = place.split('/');
    await plane.request('/api/v1/namespaces', {
      method: 'POST',
      body: { metadata: { name: namespace } },
    });
    tokens.set(actor as Account, await plane.serviceAccountToken(namespace, name));
    const subject = { kind: 'ServiceAccount', namespace, name };
    await plane.create(`${rbac}/clusterrolebindings`, binding(`service-${name}`, [subject]));
  }
  return tokens;
}

/** Starts kube-controller-manager as its own user, as kubeadm does. */
export async function startControllersAsThemselves(
  { plane, options }: Stage,
  controllers: readonly string[],
  args: readonly string[],
): Promise<void> {
  const own = plane.kubeconfigFor({ user: 'system:kube-controller-manager' });
  await plane.startControllers(controllers, [
    `--kubeconfig=${own}`,
    `--use-service-account-credentials=${options.usesServiceAccounts}`,
    ...args,
  ]);
}

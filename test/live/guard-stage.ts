import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Cluster } from '../support/cluster.ts';
import { root } from '../support/command-line.ts';
import { freePorts } from '../support/control-plane-processes.ts';
import { eventually } from '../support/eventually.ts';
import { startWatching, type Watching } from '../support/watching.ts';

const configuration =
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/kubectl-gc-guard';

/** A guard that runs, and what another one needs to take its place. */
export interface StartedGuard {
  readonly process: Watching;
  readonly port: number;
  readonly kubeconfig: string;
}

interface GuardStart {
  readonly kubeconfig: string;
  readonly rules?: string;
  /** Undefined: a free one. */
  readonly port?: number;
}

/**
 * Starts the built program on this machine, and makes the webhook configuration ask it there instead of at its Service.
 * Resolves when the API server gets answers of it.
 */
export async function startGuard(plane: Cluster, start: GuardStart): Promise<StartedGuard> {
  const { kubeconfig, rules, port = (await freePorts(1))[0] ?? 0 } = start;
  const { webhooks } = await plane.get<KubeObject & { webhooks: Webhook[] }>(configuration);
  const url = `https://127.0.0.1:${port}/deletions`;
  const { caBundle } = webhooks[0]?.clientConfig ?? {};
  const clientConfig = { url, ...(caBundle !== undefined && { caBundle }) };
  await plane.patch(configuration, {
    webhooks: webhooks.map((webhook) => ({ ...webhook, clientConfig })),
  });
  const options = rules === undefined ? '' : ` --rules ${rules}`;
  const process = startWatching(`guard --serve 127.0.0.1:${port} --name 127.0.0.1${options}`, {
    KUBECONFIG: kubeconfig,
  });
  await process.tells('Watching');
  await eventually(`a call of the guard: ${process.stderr()}`, () => isAsked(plane), 20);
  return { process, port, kubeconfig };
}

interface Webhook {
  readonly clientConfig: { readonly caBundle?: string };
}

const probe = 'ConfigMap default/guard-probe';

/** Does the API server get an answer of the guard? */
async function isAsked(plane: Cluster): Promise<boolean> {
  if (!(await plane.find('/api/v1/namespaces/default/configmaps/guard-probe'))) {
    const { uid } = (await plane.make(probe)).metadata;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'guard-probe', uid };
    await plane.make(`${probe}-dependent`, { metadata: { ownerReferences: [owner] } });
  }
  const line = 'delete configmap guard-probe -n default --dry-run=server';
  const { stderr } = await plane.kubectl(line.split(' '));
  return stderr.startsWith('Warning: 2 objects');
}

/** The commands of docs/guard.md, and what it says that they print. */
export function guardPage() {
  const text = readFileSync(join(root, 'docs/guard.md'), 'utf8');
  const [part = ''] = text.split('## With Helm');
  const blocks = [...part.matchAll(/```(sh|text)\n([\s\S]*?)```/g)].map(([, kind, body = '']) => ({
    kind,
    lines: body.trimEnd().split('\n'),
    body,
  }));
  const [install, preview, previewed, rules, refusal, approval, uninstall] = blocks;
  const line = (block: (typeof blocks)[number] | undefined, at: number) => {
    const found = block?.lines[at];
    if (found === undefined || block?.kind !== 'sh') throw new Error('docs/guard.md has changed');
    return found;
  };
  return {
    install: line(install, 0),
    preview: { command: line(preview, 0), printed: previewed?.body },
    configure: line(rules, 0),
    refused: { command: line(rules, 1), printed: refusal?.body },
    approve: line(approval, 0),
    uninstall: line(uninstall, 0),
  };
}

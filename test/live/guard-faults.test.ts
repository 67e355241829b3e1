import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { connect } from '../../src/cluster/connection/connect.ts';
import { noRules } from '../../src/guard/guard-rules.ts';
import { runGuard } from '../../src/guard/run-guard.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { day, minute } from '../../src/kube/time.ts';
import { certificateAuthority, issueCertificate } from '../support/certificates.ts';
import { root } from '../support/command-line.ts';
import { freePorts, type ServerProcess } from '../support/control-plane-processes.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { serveKind } from '../support/served-kinds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWatching, type Watching } from '../support/watching.ts';
import { workload } from '../support/workload.ts';
import { startRelay } from './guard-relay.ts';
import { restartServer } from './restart-server.ts';

/**
 * What may happen to a guard, on a real API server with all controllers, each with an account of its own: whatever it is,
 * nobody waits longer than the webhook's timeout, and no request of the cluster itself is judged or refused.
 */
const folder = temporaryFolder();
const auditLog = join(folder, 'audit.log');
const policyFile = join(folder, 'audit-policy.json');
writeFileSync(
  policyFile,
  JSON.stringify({
    ...{ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'] },
    rules: [{ level: 'Request', verbs: ['delete', 'deletecollection'] }, { level: 'None' }],
  }),
);
const plane = await ownControlPlane({
  controllers: 'none',
  apiServerArgs: [`--audit-policy-file=${policyFile}`, `--audit-log-path=${auditLog}`],
});
const manager = plane.kubeconfigFor({ user: 'system:kube-controller-manager' });
await plane.startControllers(
  ['*'],
  [`--kubeconfig=${manager}`, '--use-service-account-credentials=true'],
);
const relay = await startRelay();
const running: Watching[] = [];
const configuration =
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/kubectl-gc-guard';
const probe = '/api/v1/namespaces/default/configmaps/guard-probe';
const limit = 180_000;

interface AuditEvent {
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly name?: string };
  readonly annotations?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly code?: number };
}

function auditEvents(from = 0): AuditEvent[] {
  const lines = readFileSync(auditLog, 'utf8').split('\n').slice(0, -1);
  return lines.slice(from).map((line): AuditEvent => JSON.parse(line));
}

const noted = ({ annotations = {} }: AuditEvent, prefix: string) =>
  Object.keys(annotations).some((name) => name.startsWith(prefix));
const isJudged = (event: AuditEvent) => noted(event, 'guard.kubectl-gc.io/');
const isPassedOver = (event: AuditEvent) =>
  noted(event, 'failed-open.validating.webhook.admission.k8s.io/');

/** Milliseconds for which webhooks kept a request; the API server notes it of requests that took half a second. */
function waited({ annotations = {} }: AuditEvent): number {
  const [, number = '0', unit] =
    /^([\d.]+)(ms|s)$/.exec(annotations['apiserver.latency.k8s.io/validating-webhook'] ?? '') ?? [];
  return Number(number) * (unit === 's' ? 1000 : 1);
}

/** What became of DELETEs that are sent while this goes on, four at a time, and for a while at least. */
async function deletionsDuring(work: () => Promise<unknown>, least = 1_500) {
  const began = auditEvents().length;
  let isOver = false;
  const statuses: number[] = [];
  const sender = async () => {
    while (!isOver) {
      const { status } = await plane
        .request(`${probe}?dryRun=All`, { method: 'DELETE' })
        .catch(() => ({ status: 0 }));
      statuses.push(status);
      await sleep(20);
    }
  };
  const senders = Array.from({ length: 4 }, sender);
  try {
    await Promise.all([work(), sleep(least)]);
  } finally {
    isOver = true;
    await Promise.all(senders);
  }
  // The log is written a moment later.
  await sleep(300);
  const events = auditEvents(began).filter(({ objectRef }) => objectRef?.name === 'guard-probe');
  return {
    sent: statuses.length,
    refused: statuses.filter((status) => status !== 200),
    judged: events.filter(isJudged).length,
    passedOver: events.filter(isPassedOver).length,
    longest: Math.max(0, ...events.map(waited)),
  };
}

/** The timeout of the webhook is a second, which a busy API server notices late; without a timeout of its own it would be ten. */
const longestWait = 5_000;

function expectNobodyWaits({ refused, longest }: Awaited<ReturnType<typeof deletionsDuring>>) {
  expect(refused).toEqual([]);
  expect(longest).toBeLessThan(longestWait);
}

async function startGuard(flags = '', env: Readonly<Record<string, string>> = {}) {
  const [port = 0] = await freePorts(1);
  const line = `guard --serve 127.0.0.1:${port} --name 127.0.0.1 ${flags}`.trim();
  const process = startWatching(line, { KUBECONFIG: plane.kubeconfigPath, ...env });
  running.push(process);
  await process.tells('Watching');
  return { port, process };
}

/** Sends requests to these guards alone, from now on. */
function serveBy(...ports: readonly number[]): void {
  relay.targets = ports;
  relay.cut();
}

/** Does a DELETE get an answer of a guard? */
async function isAsked(): Promise<boolean> {
  const { judged } = await deletionsDuring(async () => undefined, 100);
  return judged > 0;
}

const untilAsked = () => eventually('an answer of the guard', isAsked, 60);

/** What a readiness probe is answered, which looks at no certificate. */
function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    get(`https://127.0.0.1:${port}/readyz`, { rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    }).once('error', () => resolve(false));
  });
}

/** Fingerprint of the certificate that a new connection gets. */
function certificateAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    }).once('error', reject);
  });
}

/** How many certificates the API server trusts for the guard. */
async function trustedCount(): Promise<number> {
  const { webhooks } = await plane.get<KubeObject & { webhooks: Webhook[] }>(configuration);
  const bundle = Buffer.from(webhooks[0]?.clientConfig.caBundle ?? '', 'base64').toString();
  return bundle.split('BEGIN CERTIFICATE').length - 1;
}

interface Webhook {
  readonly clientConfig: { readonly caBundle?: string };
}

let guard: Awaited<ReturnType<typeof startGuard>>;
let restarted: ServerProcess | undefined;

beforeAll(async () => {
  const manifests = readFileSync(join(root, 'deploy/kustomize/guard/kubectl-gc.yaml'), 'utf8');
  const [found] = parseAllDocuments(manifests)
    .map((one) => one.toJS() as KubeObject & { webhooks: object[] })
    .filter(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  const clientConfig = { url: `https://127.0.0.1:${relay.port}/deletions` };
  const webhooks = found?.webhooks.map((webhook) => ({ ...webhook, clientConfig }));
  await plane.create(configuration.replace(/\/[^/]+$/, ''), { ...found, webhooks });
  await plane.make('ConfigMap default/guard-probe');
  guard = await startGuard();
});
beforeEach(async () => {
  Object.assign(relay, { delay: 0, hangs: false });
  serveBy(guard.port);
  await untilAsked();
}, limit);
afterAll(async () => {
  relay.close();
  for (const { child } of running) child.kill('SIGKILL');
  await restarted?.stop();
});

test(
  'a guard that answers later than a second is passed over, and one that is a little slow is not',
  async () => {
    relay.delay = 3_000;
    const late = await deletionsDuring(() => sleep(4_000));
    expectNobodyWaits(late);
    expect(late.passedOver).toBeGreaterThan(0);
    relay.delay = 100;
    await untilAsked();
    expectNobodyWaits(await deletionsDuring(() => sleep(1_000)));
  },
  limit,
);

test(
  'a guard that accepts connections and says nothing delays nobody by more than a second',
  async () => {
    relay.hangs = true;
    relay.cut();
    const hung = await deletionsDuring(() => sleep(4_000));
    expectNobodyWaits(hung);
    expect(hung).toMatchObject({ judged: 0, passedOver: hung.sent });
  },
  limit,
);

test(
  'a guard that is killed is passed over',
  async () => {
    const { port, process } = await startGuard();
    serveBy(port);
    await untilAsked();
    process.child.kill('SIGKILL');
    await process.ended();
    const killed = await deletionsDuring(() => sleep(2_000));
    expectNobodyWaits(killed);
    expect(killed).toMatchObject({ judged: 0, passedOver: killed.sent });
  },
  limit,
);

test(
  'a guard that runs out of memory is passed over',
  async () => {
    const { port, process } = await startGuard('', { NODE_OPTIONS: '--max-old-space-size=40' });
    serveBy(port);
    await untilAsked();
    const text = 'x'.repeat(50);
    const labels = (at: number) =>
      Object.fromEntries(
        Array.from({ length: 40 }, (_, key) => [`key-${key}`, `${text}-${at}-${key}`]),
      );
    const large = (at: number) => ({
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: { namespace: 'large', name: `large-${at}`, labels: labels(at) },
    });
    const fill = async () => {
      for (let at = 0; at < 12_000; at += 500) {
        await plane.putObjects(Array.from({ length: 500 }, (_, index) => large(at + index)));
      }
      await process.ended();
    };
    await plane.make('Namespace large');
    const full = await deletionsDuring(fill);
    expect(process.stderr()).toContain('heap');
    expectNobodyWaits(full);
    expectNobodyWaits(await deletionsDuring(() => sleep(1_000)));
  },
  limit,
);

test(
  'a guard whose certificate the API server does not trust is passed over',
  async () => {
    const { port } = await startGuard('--webhook-configuration another');
    serveBy(port);
    const untrusted = await deletionsDuring(() => sleep(2_000));
    expectNobodyWaits(untrusted);
    expect(untrusted).toMatchObject({ judged: 0, passedOver: untrusted.sent });
  },
  limit,
);

test(
  'a certificate of files, as cert-manager writes it, is served anew when it changes',
  async () => {
    const issuer = certificateAuthority('issuer');
    const files = { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
    const issue = () => {
      const issued = issueCertificate(issuer, { commonName: 'guard', addresses: ['127.0.0.1'] });
      writeFileSync(files.certificate, issued.certificate);
      writeFileSync(files.key, issued.key);
    };
    issue();
    const flags = `--tls-cert-file ${files.certificate} --tls-private-key-file ${files.key}`;
    const { port } = await startGuard(flags);
    // As cert-manager's injector does.
    const { webhooks } = await plane.get<KubeObject & { webhooks: Webhook[] }>(configuration);
    const caBundle = Buffer.from(issuer.certificate).toString('base64');
    await plane.patch(configuration, {
      webhooks: webhooks.map((one) => ({
        ...one,
        clientConfig: { ...one.clientConfig, caBundle },
      })),
    });
    serveBy(port);
    await untilAsked();
    const before = await certificateAt(port);
    issue();
    await eventually('its use', async () => (await certificateAt(port)) !== before, 60);
    relay.cut();
    const renewed = await deletionsDuring(() => sleep(1_000));
    expectNobodyWaits(renewed);
    expect(renewed.judged).toBeGreaterThan(0);
  },
  limit,
);

test(
  'a kind whose watched version is not served any more is watched in another',
  async () => {
    const group = 'guard.example.com';
    const path = await serveKind(
      plane,
      customDefinition('Gadget', group, { versions: ['v1', 'v2'] }),
    );
    const make = (name: string) =>
      plane.create(`/apis/${group}/v1/namespaces/default/gadgets`, {
        ...{ apiVersion: `${group}/v1`, kind: 'Gadget', metadata: { name } },
      });
    const line = `delete crd gadgets.${group} --dry-run=server`;
    const untilCounted = (objects: number) =>
      eventually(
        `a warning of ${objects} objects`,
        async () => (await plane.kubectl(line.split(' '))).stderr.includes(`${objects} objects`),
        90,
      );
    await make('first');
    await untilCounted(2);
    const { spec } = customDefinition('Gadget', group, { versions: ['v1'], retired: ['v2'] });
    await plane.patch(path, { spec });
    await make('second');
    await untilCounted(3);
  },
  limit,
);

test(
  'while replicas are replaced one after the other, every deletion is judged',
  async () => {
    const second = await startGuard();
    serveBy(guard.port, second.port);
    await untilAsked();
    const upgraded = await deletionsDuring(async () => {
      for (const old of [guard, second]) {
        const fresh = await startGuard();
        await eventually('its certificate is trusted', () => isReady(fresh.port), 60);
        // A Service sends no new connection to a replica that ends; those that are open stay until it has ended.
        relay.targets = [...relay.targets.filter((port) => port !== old.port), fresh.port];
        expect((await old.process.end('SIGTERM')).code).toBe(0);
        guard = fresh;
      }
    });
    expectNobodyWaits(upgraded);
    expect(upgraded.judged).toBeGreaterThan(0);
    expect(upgraded.passedOver).toBe(0);
  },
  limit,
);

test(
  'an API server that restarts is watched again, and asks the guard again',
  async () => {
    const [, server = 0] = plane.pids();
    restarted = await restartServer(plane, server);
    await untilAsked();
    const { uid } = (await plane.get<KubeObject>(probe)).metadata;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'guard-probe', uid };
    await plane.make('ConfigMap default/later', { metadata: { ownerReferences: [owner] } });
    const line = 'delete configmap guard-probe -n default --dry-run=server';
    await eventually(
      'a warning of what was made after the restart',
      async () =>
        (await plane.kubectl(line.split(' '))).stderr.startsWith(
          'Warning: 2 objects will be deleted',
        ),
      60,
    );
    expectNobodyWaits(await deletionsDuring(() => sleep(1_000)));
  },
  limit,
);

test(
  'a guard that renews its certificate is asked all the time',
  async () => {
    const [port = 0] = await freePorts(1);
    const client = await connect({ kubeconfig: plane.kubeconfigPath });
    const ended = new AbortController();
    // It was started eight days ago, so more than half of the time of its certificate is over.
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() - 8 * day);
    const lines: string[] = [];
    const options = {
      ...{ host: '127.0.0.1', port, names: ['127.0.0.1'], configuration: 'kubectl-gc-guard' },
      ...{ readKeyPair: undefined, readRules: async () => noRules, publish: () => undefined },
      report: (line: string) => void lines.push(line),
    };
    const guarding = runGuard(client, options, ended.signal);
    try {
      await eventually('its start', async () => lines.some((line) => line.startsWith('Watching')));
      await eventually('its certificate is trusted', () => isReady(port), 60);
      const [before, count] = [await certificateAt(port), await trustedCount()];
      serveBy(port);
      await untilAsked();
      const renewed = await deletionsDuring(async () => {
        vi.useRealTimers();
        await eventually('a further certificate', async () => (await trustedCount()) > count, 60);
        vi.useFakeTimers({ toFake: ['Date'] });
        vi.setSystemTime(Date.now() + 2 * minute);
        await eventually('its use', async () => (await certificateAt(port)) !== before, 60);
        vi.useRealTimers();
        relay.cut();
        await sleep(1_000);
      });
      expectNobodyWaits(renewed);
      expect(renewed.judged).toBeGreaterThan(0);
      expect(renewed.passedOver).toBeLessThanOrEqual(4);
    } finally {
      vi.useRealTimers();
      ended.abort();
      await guarding;
      client.close();
    }
  },
  limit,
);

test(
  'meanwhile, controllers delete what they have to, and none of their requests is judged, delayed or refused',
  async () => {
    await plane.make('Namespace team');
    await plane.make('Deployment team/web', workload('web'));
    await eventually('a pod', async () => (await plane.names('Pod team/')).length === 1);
    await plane.remove('Namespace team');
    await untilGone(plane, 'Namespace team');
    const own = auditEvents().filter(({ user }) => user.username.startsWith('system:'));
    expect(own.length).toBeGreaterThan(3);
    expect(own.filter((event) => isJudged(event) || isPassedOver(event))).toEqual([]);
    expect(own.filter(({ responseStatus }) => responseStatus?.code === 403)).toEqual([]);
  },
  limit,
);

import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connect } from '../../src/cluster/connection/connect.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { accessReviews } from '../../src/perform/send/access-reviews.ts';
import { issueCertificate } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';
import { permit } from '../support/permissions.ts';
import { servedTypes } from '../support/served-types.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { deleted, endOf, only, performOn, planFor } from './perform-plan.ts';

const cluster = sharedControlPlane();

let namespace = '';
let runs = 0;
beforeEach(async () => {
  runs += 1;
  namespace = `refused-${process.pid}-${runs}`;
  await cluster.create('/api/v1/namespaces', { metadata: { name: namespace } });
});

const configMaps = () => `/api/v1/namespaces/${namespace}/configmaps`;

async function configMap(name: string): Promise<KubeObject> {
  return cluster.create<KubeObject>(configMaps(), { metadata: { name } });
}

const complete = { type: 'done', sent: 1, refused: 0, skipped: 0, left: 0, differences: 0 };

async function userWith(rules: readonly object[]) {
  const user = `user-${namespace}`;
  await permit(cluster, user, rules, namespace);
  const client = await connect({ kubeconfig: cluster.kubeconfigFor({ user }) });
  const rolesSeen = async () => {
    const review = {
      spec: { user, resourceAttributes: { namespace, verb: 'list', resource: 'configmaps' } },
    };
    const { status } = await cluster.create<{ status: { allowed: boolean } }>(
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      review,
    );
    return status.allowed ? true : undefined;
  };
  await eventually('the role', rolesSeen);
  const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/${user}`;
  return { client, role };
}

const rule = (...verbs: string[]) => ({ apiGroups: [''], resources: ['configmaps'], verbs });

test('a permission that is withdrawn after the first request refuses the second', async () => {
  const first = await configMap('first');
  const second = await configMap('second');
  const { client, role } = await userWith([rule('delete', 'get', 'list', 'watch')]);
  const plan = planFor([first, second], deleted(first, second));
  const withdrawing = {
    ...client,
    request: async (request: Parameters<typeof client.request>[0]) => {
      if (request.method === 'DELETE' && request.path.endsWith('/second')) {
        await cluster.patch(role, { rules: [rule('get', 'list', 'watch')] });
        await eventually('the withdrawal', async () => {
          const types = new ResourceTypes(await servedTypes(cluster.get), { exhaustive: true });
          const { unallowed } = await accessReviews(client, plan.requests, types);
          return unallowed.length > 0 ? true : undefined;
        });
      }
      return client.request(request);
    },
  };
  const events = await performOn(cluster, plan, { client: withdrawing });
  expect(
    only(events, 'refused').map(({ code, reason, request }) => [request.name, code, reason]),
  ).toEqual([['second', 403, 'Forbidden']]);
  expect(endOf(events)).toEqual({
    type: 'done',
    ended: 'failed',
    sent: 1,
    refused: 1,
    skipped: 0,
    gone: 1,
    left: 1,
    differences: 0,
  });
  client.close();
});

test('a user who may not watch polls, and one who may not read is told that the end is unknown', async () => {
  const first = await configMap('first');
  const plan = planFor([first], deleted(first));
  const lister = await userWith([rule('delete', 'list')]);
  const events = await performOn(cluster, plan, { client: lister.client, pace: { poll: 200 } });
  expect(only(events, 'watch').map(({ state }) => state)).toEqual(['polling']);
  expect(endOf(events)).toEqual({ ...complete, ended: 'gone', gone: 1 });

  const blind = await configMap('blind');
  await cluster.patch(lister.role, { rules: [rule('delete')] });
  const isBlind = async () => {
    const { status } = await lister.client.request({ path: configMaps() });
    return status === 403 ? true : undefined;
  };
  await eventually('nothing may be listed', isBlind);
  const unseen = planFor([blind], deleted(blind));
  const tree = await performOn(cluster, unseen, { client: lister.client });
  expect(only(tree, 'left').map(({ because }) => because)).toEqual([
    `it is unknown whether it is gone: cannot get configmaps/blind in ${namespace}: configmaps "blind" is forbidden: User "user-${namespace}" cannot get resource "configmaps" in API group "" in the namespace "${namespace}"`,
  ]);
  expect(endOf(tree)).toEqual({ ...complete, ended: 'settled', gone: 0, left: 1 });
  const other = await configMap('other');
  // As kubectl does.
  const silent = await performOn(cluster, planFor([other], deleted(other)), {
    client: lister.client,
    wait: 'object',
  });
  expect(endOf(silent)).toEqual({ ...complete, ended: 'gone', gone: 0, left: 1 });
  lister.client.close();
});

test('reviews say before the first request what would be refused', async () => {
  const { client } = await userWith([
    { ...rule('delete'), resourceNames: ['mine'] },
    { ...rule('list') },
    { apiGroups: [''], resources: ['secrets'], verbs: ['delete', 'list', 'watch'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['delete'], resourceNames: ['ours'] },
  ]);
  const types = new ResourceTypes(await servedTypes(cluster.get), { exhaustive: true });
  const named = (kind: string, name: string): KubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace, uid: name },
  });
  const asked = [named('ConfigMap', 'mine'), named('ConfigMap', 'theirs'), named('Secret', 'any')];
  const { requests } = planFor(asked, []);
  expect(await accessReviews(client, requests, types)).toEqual({
    unallowed: [
      {
        group: '',
        resource: 'configmaps',
        namespace,
        name: 'theirs',
        answer: 'denied',
        reason: `it is not permitted to delete configmaps/theirs in the namespace ${namespace}`,
      },
    ],
    notes: [`configmaps in ${namespace} may not be watched: they are listed again and again`],
  });
  client.close();
});

/** A validating webhook for deletions of ConfigMaps, asked over TLS. */
let hook: Server;
let verdict: { allowed: boolean; status?: object; uid?: string } = { allowed: true };
beforeAll(async () => {
  const { certificate, key } = issueCertificate(cluster.authority, {
    commonName: 'webhook',
    addresses: ['127.0.0.1'],
  });
  hook = createServer({ cert: certificate, key }, async (incoming, outgoing) => {
    let text = '';
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
    const { uid } = JSON.parse(text).request;
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
    outgoing.setHeader('content-type', 'application/json');
    outgoing.end(JSON.stringify({ ...review, response: { uid, ...verdict } }));
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  hook.closeAllConnections();
  hook.close();
});

test('a webhook that denies is quoted, one that fails is asked again, and both end', async () => {
  const hooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const { port } = hook.address() as AddressInfo;
  const name = `hook-${namespace}`;
  await cluster.create(hooks, {
    metadata: { name },
    webhooks: [
      {
        name: 'keep.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            resources: ['configmaps'],
            operations: ['DELETE'],
          },
        ],
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: Buffer.from(cluster.authority.certificate).toString('base64'),
        },
      },
    ],
  });
  try {
    verdict = { allowed: false, status: { code: 503, message: 'it is in use' } };
    const guarded = await configMap('guarded');
    await eventually('the webhook', async () => {
      const { status } = await cluster.request(`${configMaps()}/guarded?dryRun=All`, {
        method: 'DELETE',
      });
      return status === 503 ? true : undefined;
    });
    const plan = planFor([guarded], deleted(guarded));
    const denied = await performOn(cluster, plan);
    expect(only(denied, 'retrying')).toEqual([]);
    expect(only(denied, 'refused').map(({ code, message }) => [code, message])).toEqual([
      [503, 'admission webhook "keep.example.com" denied the request: it is in use'],
    ]);
    verdict = { allowed: true, uid: 'of another request' };
    const failed = await performOn(cluster, plan, { pace: { firstRetry: 20 } });
    expect(only(failed, 'retrying')).toHaveLength(3);
    expect(only(failed, 'refused').map(({ code, reason }) => [code, reason])).toEqual([
      [500, 'InternalError'],
    ]);
    expect(await cluster.isHealthy(`${configMaps()}/guarded`)).toBe(true);
  } finally {
    await cluster.request(`${hooks}/${name}`, { method: 'DELETE' });
  }
});

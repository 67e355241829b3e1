import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { garbageCollectorHealthReport } from '../../src/output/documents/why.ts';
import { garbageCollectorHealth } from '../../src/why/garbage-collector/health.ts';
import { investigate } from '../../src/why/investigate.ts';
import { answerFromObjects } from '../support/answer-from-objects.ts';
import { servedTypes } from '../support/builders.ts';
import { kube } from '../support/kube.ts';
import { asked, leaseOf, readAt } from './diagnosed.ts';

const apiService = (status: string): KubeObject => {
  const service = { namespace: 'x', name: 'y' };
  const fields = {
    spec: { group: 'metrics.example.com', version: 'v1', service },
    status: { conditions: [{ type: 'Available', status, message: 'no endpoints' }] },
  };
  return kube('apiregistration.k8s.io/v1 APIService v1.metrics.example.com', {}, fields);
};
const asking = {
  name: 'guard.example.com',
  clientConfig: { service: { namespace: 'x', name: 'gone' } },
  rules: [{ apiGroups: ['*'], resources: ['*'], operations: ['DELETE'] }],
};
const hook = 'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration guard';
const webhook = kube(hook, {}, { webhooks: [asking] });

async function health(objects: readonly KubeObject[], types = servedTypes, onlyReads = false) {
  const { finding } = await investigate(
    { ...asked, types, onlyReads },
    garbageCollectorHealth,
    answerFromObjects(objects, types, readAt),
  );
  const report = garbageCollectorHealthReport(finding, undefined);
  const wrong = report.checks.filter(({ state }) => state !== 'ok');
  return [report.health, ...wrong.map(({ id, state }) => `${id} ${state}`)];
}

test('nothing is wrong', async () => {
  expect(await health([leaseOf(readAt), apiService('True')])).toEqual(['ok']);
});

test('no leader', async () => {
  expect(await health([leaseOf('2026-05-31T00:00:00Z')])).toEqual(['failing', 'leader failing']);
  expect(await health([])).toEqual(['unknown', 'leader unknown']);
});

test('an APIService without a server, known to discovery or not', async () => {
  expect(await health([leaseOf(readAt), apiService('False')])).toEqual([
    'failing',
    'api-services failing',
  ]);
  const failed = [{ group: 'metrics.example.com', version: 'v1', message: 'no answer' }];
  const types = new ResourceTypes(servedTypes.all, { failed, exhaustive: true });
  expect(await health([leaseOf(readAt), apiService('False')], types)).toEqual([
    'failing',
    'discovery failing',
    'api-services failing',
  ]);
});

test('a webhook whose Service is gone', async () => {
  expect(await health([leaseOf(readAt), webhook])).toEqual(['failing', 'admission failing']);
});

test.each([false, true])(
  'a webhook that lets a sample of deletions pass, where nothing else is tried: %s',
  async (onlyReads) => {
    const clientConfig = { url: 'https://guard.example.com' };
    const outside = kube(hook, {}, { webhooks: [{ ...asking, clientConfig }] });
    const objects = [leaseOf(readAt), outside, kube('v1 ConfigMap web')];
    expect(await health(objects, servedTypes, onlyReads)).toEqual(['ok']);
  },
);

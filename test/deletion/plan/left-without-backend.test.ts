import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, deployment, pod } from '../../support/builders.ts';
import { planned } from './planned.ts';
import { by, namespace, told } from './told.ts';

const home = namespace('shop');
const service = builderOf('v1', 'Service')('hook', {
  facts: { selector: { matchLabels: { app: 'hook' } } },
});
const place = { namespace: 'shop', name: 'hook' };
const webhooks = (failurePolicy?: string) =>
  builderOf('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration')('checks', {
    facts: {
      webhooks: [
        {
          name: 'a.example.com',
          clientConfig: { service: place },
          ...(failurePolicy && { failurePolicy }),
        },
      ],
    },
  });
const api = builderOf('apiregistration.k8s.io/v1', 'APIService')('v1.example.com', {
  facts: { serviceNamespace: 'shop', serviceName: 'hook' },
});
const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition')(
  'widgets.example.com',
  { facts: { conversionStrategy: 'Webhook', conversionClient: { service: place } } },
);
const labels = { app: 'hook' };
const web = pod('web', { labels, facts: { nodeName: 'n' } });
const other = pod('other', { labels, facts: { nodeName: 'n' } });

const asked =
  'Service shop/hook goes, and ValidatingWebhookConfiguration checks, which asks it, stays: the API server refuses all that it would ask it about. Delete it first, if it is to go as well, then what answers.';
const lines = (records: readonly ObjectRecord[], ...targets: readonly ObjectRecord[]) =>
  told(records, targets).filter((line) => line.includes('what answers'));

test('a Service that goes is named with what asks it and stays, and the order', () => {
  expect(lines([service, webhooks(), api, definition], service)).toEqual([
    `warning may-be-refused: ${asked}`,
    'warning unserved-api: Service shop/hook goes, and APIService v1.example.com, which asks it, stays: its API does not answer any more, and while discovery fails for it no namespace is deleted to its end. Delete it first, if it is to go as well, then what answers.',
    'warning unserved-api: Service shop/hook goes, and CustomResourceDefinition widgets.example.com, which asks it, stays: objects that are stored in another version cannot be read any more, and neither the garbage collector nor a namespace that is deleted gets past them. Delete it first, if it is to go as well, then what answers.',
  ]);
  expect(lines([home, service, webhooks('Fail')], home)).toEqual([
    `warning may-be-refused: ${asked}`,
  ]);
});

test('so is one of whose pods none is left, as when their Deployment goes', () => {
  const program = deployment('hook');
  const run = pod('hook-1', { ...by(program), labels, facts: { nodeName: 'n' } });
  expect(lines([service, program, run, webhooks()], program)).toEqual([
    `warning may-be-refused: ${asked.replace('goes', 'loses all of its pods')}`,
  ]);
  expect(lines([service, web, other, webhooks()], web)).toEqual([]);
  expect(lines([service, web, other, webhooks()], web, other)).toHaveLength(1);
});

test('not where the webhook is passed over, goes as well or asks another, nor of a pod that is made again', () => {
  expect(lines([service, webhooks('Ignore')], service)).toEqual([]);
  expect(lines([service, webhooks()], service, webhooks())).toEqual([]);
  const elsewhere = { ...service, namespace: 'bank', uid: 'elsewhere' };
  expect(lines([elsewhere, webhooks()], elsewhere)).toEqual([]);
  const set = builderOf('apps/v1', 'ReplicaSet')('hook', {
    facts: { replicas: 1, selector: { matchLabels: labels } },
  });
  const run = pod('hook-1', { ...by(set), labels, facts: { nodeName: 'n' } });
  expect(lines([service, set, run, webhooks()], run)).toEqual([]);
});

test('configurations of both kinds are named in one warning', () => {
  const mutating = builderOf('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration')(
    'checks',
    { facts: webhooks().facts },
  );
  expect(lines([service, webhooks(), mutating], service)).toEqual([
    'warning may-be-refused: Service shop/hook goes, and MutatingWebhookConfiguration checks, ValidatingWebhookConfiguration checks, which ask it, stay: the API server refuses all that it would ask it about. Delete them first, if they are to go as well, then what answers.',
  ]);
});

test('what was read only for that counts once, and what could not be read is said', () => {
  const bare = { ...webhooks(), facts: undefined };
  const asking = { records: [webhooks()], unread: ['apiservices.apiregistration.k8s.io'] };
  const plan = planned([service, bare], service, {}, {}, { asking });
  expect(plan.remarks.map(({ message }) => message)).toEqual([
    asked,
    'apiservices.apiregistration.k8s.io could not be read: whether some of them ask what goes is not known.',
  ]);
});

test('a CSI driver is named with the volumes of it that stay', () => {
  const driver = builderOf('storage.k8s.io/v1', 'CSIDriver')('disks.example.com');
  const volume = (name: string, csi: string) =>
    builderOf('v1', 'PersistentVolume')(name, { facts: { source: { csi } } });
  const volumes = [volume('a', 'disks.example.com'), volume('b', 'disks.example.com')];
  const drivers = (records: readonly ObjectRecord[]) =>
    told([driver, ...records], driver).filter((line) => line.includes('CSIDriver'));
  expect(drivers([...volumes, volume('c', 'files.example.com')])).toEqual([
    'warning volume: CSIDriver disks.example.com goes, and 2 PersistentVolumes (a, b) of it stay: once its programs are gone as well, nothing mounts, detaches or deletes them. Delete the claims first and wait until the volumes are gone, then the driver.',
  ]);
  expect(drivers([volume('c', 'files.example.com')])).toEqual([]);
});

import { expect, test } from 'vitest';
import { objectsFrom } from '../../support/objects-from.ts';
import { outcomesOf, plansFrom, remarksAbout, remarksOf } from './told.ts';

const place = '{namespace: shop, name: hook}';
const webhooks = (more = '') =>
  `{facts: {webhooks: [{name: a.example.com, clientConfig: {service: ${place}}${more}}]}}`;
const pod = '{labels: {app: hook}, facts: {nodeName: n}}';
const csi = (driver: string) => `{facts: {source: {csi: ${driver}}}}`;
const objects = `
  home     | Namespace shop
  service  | Service hook      | {facts: {selector: {matchLabels: {app: hook}}}}
  bank     | Service bank/hook | {facts: {selector: {matchLabels: {app: hook}}}}
  checks   | ValidatingWebhookConfiguration checks | ${webhooks()}
  fails    | ValidatingWebhookConfiguration checks | ${webhooks(', failurePolicy: Fail')}
  passes   | ValidatingWebhookConfiguration checks | ${webhooks(', failurePolicy: Ignore')}
  mutating | MutatingWebhookConfiguration checks   | ${webhooks()}
  api      | APIService v1.example.com | {facts: {serviceNamespace: shop, serviceName: hook}}
  crd      | CustomResourceDefinition widgets.example.com
      | {facts: {conversionStrategy: Webhook, conversionClient: {service: ${place}}}}
  program  | Deployment hook
  set      | ReplicaSet hook   | {facts: {replicas: 1, selector: {matchLabels: {app: hook}}}}
  run      | Pod hook-1        | ${pod.replace('{', '{under: program, ')}
  replica  | Pod hook-1        | ${pod.replace('{', '{under: set, ')}
  web      | Pod web           | ${pod}
  other    | Pod other         | ${pod}
  driver   | CSIDriver disks.example.com
  a        | PersistentVolume a | ${csi('disks.example.com')}
  b        | PersistentVolume b | ${csi('disks.example.com')}
  c        | PersistentVolume c | ${csi('files.example.com')}
`;
test('objects that lose their backend or driver are named, with the order that avoids it', () => {
  expect(
    outcomesOf(
      remarksAbout('may-be-refused', 'unserved-api', 'volume'),
      objects,
      `
  a Service that goes is named with what asks it and stays, and the order | service; checks; api; crd
  so is one of a namespace that goes | home; service; fails
  so is one of whose pods none is left, as when their Deployment goes | program; run; service; checks
  not where a pod is left | web; other; service; checks
  but where none is | web; other; service; checks | web, other
  not where the webhook is passed over | service; passes
  not where it goes as well | service; checks | service, checks
  not where it asks another | bank; checks
  not of a pod that is made again | replica; set; service; checks
  configurations of both kinds are named in one warning | service; checks; mutating
  a CSI driver is named with the volumes of it that stay | driver; a; b; c
  not where none is of it | driver; c
  `,
    ),
  ).toMatchInlineSnapshot(`
    "a Service that goes is named with what asks it and stays, and the order
      warning may-be-refused: Service shop/hook is deleted, and ValidatingWebhookConfiguration checks, which asks it, stays: the API server refuses all that it would ask it about. To delete it as well, delete it first.
      warning unserved-api: Service shop/hook is deleted, and APIService v1.example.com, which asks it, stays: its API does not answer any more, and while discovery fails for it no namespace is deleted to its end. To delete it as well, delete it first.
      warning unserved-api: Service shop/hook is deleted, and CustomResourceDefinition widgets.example.com, which asks it, stays: objects that are stored in another version cannot be read any more, and neither the garbage collector nor a namespace that is deleted gets past them. To delete it as well, delete it first.
    so is one of a namespace that goes
      warning may-be-refused: Service shop/hook is deleted, and ValidatingWebhookConfiguration checks, which asks it, stays: the API server refuses all that it would ask it about. To delete it as well, delete it first.
    so is one of whose pods none is left, as when their Deployment goes
      warning may-be-refused: Service shop/hook loses all of its pods, and ValidatingWebhookConfiguration checks, which asks it, stays: the API server refuses all that it would ask it about. To delete it as well, delete it first.
    not where a pod is left
    but where none is
      warning may-be-refused: Service shop/hook loses all of its pods, and ValidatingWebhookConfiguration checks, which asks it, stays: the API server refuses all that it would ask it about. To delete it as well, delete it first.
    not where the webhook is passed over
    not where it goes as well
    not where it asks another
    not of a pod that is made again
    configurations of both kinds are named in one warning
      warning may-be-refused: Service shop/hook is deleted, and MutatingWebhookConfiguration checks, ValidatingWebhookConfiguration checks, which ask it, stay: the API server refuses all that it would ask it about. To delete them as well, delete them first.
    a CSI driver is named with the volumes of it that stay
      warning volume: CSIDriver disks.example.com is deleted, and 2 PersistentVolumes (a, b) of it stay: without its programs, nothing mounts, detaches or deletes them. Delete the claims first, wait until the volumes are deleted, then delete the driver.
    not where none is of it"
  `);
});

test('objects that were read only for this remark count once, and unread kinds are reported', () => {
  const asking = {
    records: objectsFrom(objects)('checks'),
    unread: ['apiservices.apiregistration.k8s.io'],
  };
  const plan = plansFrom(objects)('service; checks {facts: null}', '', {
    webhooksAndApiServices: asking,
  });
  expect(remarksOf(plan).join('\n')).toMatchInlineSnapshot(`
    "warning may-be-refused: Service shop/hook is deleted, and ValidatingWebhookConfiguration checks, which asks it, stays: the API server refuses all that it would ask it about. To delete it as well, delete it first.
    note refusal-unknown: apiservices.apiregistration.k8s.io could not be read: whether they depend on a deleted backend is unknown."
  `);
});

import { expect, test } from 'vitest';
import { objectsFrom } from '../../support/objects-from.ts';
import { casesOfPlans, plansFrom, remarksOf } from './told.ts';

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
const one = 'Delete it first, if it is to go as well, then what answers.';
const refuses = 'the API server refuses all that it would ask it about';
const asked = (what = 'goes') =>
  `warning may-be-refused: Service shop/hook ${what}, and ValidatingWebhookConfiguration checks, which asks it, stays: ${refuses}. ${one}`;
const unserved = (who: string, effect: string) =>
  `warning unserved-api: Service shop/hook goes, and ${who}, which asks it, stays: ${effect}. ${one}`;
const unanswered =
  'its API does not answer any more, and while discovery fails for it no namespace is deleted to its end';
const unconverted =
  'objects that are stored in another version cannot be read any more, and neither the garbage collector nor a namespace that is deleted gets past them';
const both = `warning may-be-refused: Service shop/hook goes, and MutatingWebhookConfiguration checks, ValidatingWebhookConfiguration checks, which ask it, stay: ${refuses}. Delete them first, if they are to go as well, then what answers.`;
const volumes =
  'warning volume: CSIDriver disks.example.com goes, and 2 PersistentVolumes (a, b) of it stay: once its programs are gone as well, nothing mounts, detaches or deletes them. Delete the claims first and wait until the volumes are gone, then the driver.';
casesOfPlans(
  (plan) => remarksOf(plan).filter((line) => /what answers|CSIDriver/.test(line)),
  objects,
  `
  a Service that goes is named with what asks it and stays, and the order | service; checks; api; crd | | ${asked()}
      | ${unserved('APIService v1.example.com', unanswered)}
      | ${unserved('CustomResourceDefinition widgets.example.com', unconverted)}
  so is one of a namespace that goes | home; service; fails | | ${asked()}
  so is one of whose pods none is left, as when their Deployment goes | program; run; service; checks |
      | ${asked('loses all of its pods')}
  not where a pod is left            | web; other; service; checks
  but where none is                  | web; other; service; checks | web, other | ${asked('loses all of its pods')}
  not where the webhook is passed over | service; passes
  not where it goes as well          | service; checks | service, checks
  not where it asks another          | bank; checks
  not of a pod that is made again    | replica; set; service; checks
  configurations of both kinds are named in one warning | service; checks; mutating | | ${both}
  a CSI driver is named with the volumes of it that stay | driver; a; b; c | | ${volumes}
  not where none is of it            | driver; c
  `,
);

test('what was read only for that counts once, and what could not be read is said', () => {
  const asking = {
    records: objectsFrom(objects)('checks'),
    unread: ['apiservices.apiregistration.k8s.io'],
  };
  expect(remarksOf(plansFrom(objects)('service; checks {facts: null}', '', { asking }))).toEqual([
    asked(),
    'note refusal-unknown: apiservices.apiregistration.k8s.io could not be read: whether some of them ask what goes is not known.',
  ]);
});

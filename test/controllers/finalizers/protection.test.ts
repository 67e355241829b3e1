import { expect, test } from 'vitest';
import { protectionController } from '../../../src/controllers/finalizers/protection.ts';
import { customType, objectOfType } from '../../support/builders.ts';
import { objectsFrom } from '../../support/objects-from.ts';
import { rowsOf } from '../../support/rows.ts';
import { ago, decide, now } from '../decided.ts';

const deleted = `deletionTimestamp: "${ago(4_000)}"`;
const rangeFinalizer = 'finalizers: [networking.k8s.io/service-cidr-finalizer]';
const allocated = 'labels: {ipaddress.kubernetes.io/managed-by: ipallocator.k8s.io}';
const member = (more = '') =>
  `{namespace: default, facts: {nodeName: "", podGroupName: crew${more}}}`;

const objects = objectsFrom(`
  gold    | VolumeAttributesClass gold | {${deleted}, finalizers: [other, kubernetes.io/vac-protection]}
  volume  | PersistentVolume v         | {facts: {volumeAttributesClassName: silver}}
  claim   | PersistentVolumeClaim c    | {facts: {volumeAttributesClassName: silver}}
  user    | PersistentVolumeClaim user | {facts: {}}
  going   | ServiceCIDR more           | {${deleted}, ${rangeFinalizer}, facts: {cidrs: [10.1.0.0/24, "fd01::/112"]}}
  wide    | ServiceCIDR wide           | {facts: {cidrs: [10.0.0.0/8, "fd00::/8"]}}
  half    | ServiceCIDR half           | {facts: {cidrs: [10.0.0.0/8]}}
  v4      | IPAddress 10.1.0.7         | {${allocated}}
  v6      | IPAddress fd01::7          | {${allocated}}
  else    | IPAddress 10.2.0.1         | {${allocated}}
  theirs  | IPAddress 10.1.0.8         | {labels: {ipaddress.kubernetes.io/managed-by: someone}}
  free    | IPAddress 10.1.0.9
  member  | Pod default/member         | ${member()}
`);
const crew = objectOfType(customType('podgroups.scheduling.k8s.io/v1alpha2 PodGroup'), 'crew', {
  namespace: 'default',
  deletionTimestamp: ago(4_000),
  finalizers: ['scheduling.k8s.io/podgroup-protection'],
});

/** Which finalizers are left, after how many seconds, and by which rule. */
const released = (...args: Parameters<typeof decide>): string =>
  decide(...args)
    .map(({ patch, notBefore, rule }) =>
      [JSON.stringify(patch?.body.metadata), (notBefore - now) / 1000, rule].join(' '),
    )
    .join();

// A class until no claim and no volume names it; a range, ten seconds after its deletion, until no Service has an address of it alone.
const rows = rowsOf(`
  a class that nothing names                  | gold; volume; claim       | {"finalizers":["other"]} 0 PROT-1
  a class of a volume                         | gold; volume; volume {facts: {volumeAttributesClassName: gold}} |
  a class of a claim                          | gold; claim; user {facts: {volumeAttributesClassName: gold}} |
  a class that a claim has now                | gold; claim; user {facts: {currentVolumeAttributesClassName: gold}} |
  a class that a claim is to have             | gold; claim; user {facts: {targetVolumeAttributesClassName: gold}} |
  a class that is not being deleted           | gold {deletionTimestamp: null} |
  a range without addresses                   | going                     | {"finalizers":[]} 6 PROT-2
  a range with an address of IPv4             | going; v4                 |
  a range with an address of IPv6             | going; v6                 |
  a range with addresses of others            | going; theirs; free; else | {"finalizers":[]} 6 PROT-2
  a range within another one                  | going; wide; v4           | {"finalizers":[]} 6 PROT-2
  a range of which another has what is used   | going; half; v4           | {"finalizers":[]} 6 PROT-2
  a range of which another lacks what is used | half; going; v6           |
  a range that was not read                   | going {facts: null}       |
`);
test.each(rows)('%s loses its protection or not: %s', (_, there = '', words) => {
  expect(released(protectionController, objects(there))).toBe(words);
});

const groups = rowsOf(`
  whose pod has ended            | ${member(', phase: Succeeded')} | {"finalizers":[]} 0 PROT-3
  with a pod of that name elsewhere | {namespace: other}  | {"finalizers":[]} 0 PROT-3
  with a pod of another group    | {namespace: default, facts: {nodeName: "", podGroupName: cast}} | {"finalizers":[]} 0 PROT-3
  whose pod runs                 | ${member(', phase: Running')} |
  whose pod is being deleted     | {${deleted}, deletionGracePeriodSeconds: 30} |
  where a pod was not read       | {facts: null}          |
`);
test.each(groups)('a PodGroup %s loses its protection or not', (_, details, words) => {
  expect(released(protectionController, [crew, ...objects(`member ${details}`)])).toBe(words);
});

test('objects of an unread kind may use a protected object', () => {
  const unread = ['ipaddresses.networking.k8s.io', 'persistentvolumes'];
  expect(released(protectionController, objects('gold; going'), { unread })).toBe('');
});

import { expect, test } from 'vitest';
import { deletedWith, deliveriesAmong } from '../../src/delivery/deliveries.ts';
import { appliedBy, isTool, toolOf } from '../../src/delivery/tools.ts';
import { planned } from '../deletion/plan/planned.ts';
import { told } from '../deletion/plan/told.ts';
import { configMap, deployment, gadget, widget } from '../support/builders.ts';

const instance = widget('shop', {
  finalizers: ['kro.run/finalizer'],
  labels: { 'applyset.kubernetes.io/id': 'applyset-1' },
});
const web = deployment('web', {
  labels: {
    'applyset.kubernetes.io/part-of': 'applyset-1',
    'kro.run/instance-name': 'shop',
    'kro.run/instance-namespace': 'shop',
    'kro.run/instance-kind': 'Widget',
    'kro.run/instance-group': 'example.com',
  },
});
const other = configMap('other', { labels: { 'applyset.kubernetes.io/part-of': 'applyset-2' } });
const claim = widget('db', { finalizers: ['finalizer.apiextensions.crossplane.io'] });
const composite = gadget('db-x7k', {
  labels: { 'crossplane.io/claim-name': 'db', 'crossplane.io/claim-namespace': 'shop' },
});
const ends = (...given: Parameters<typeof planned>) =>
  planned(...given).objects.map(
    ({ kind, name, fate, then }) => `${kind} ${name}: ${fate}, ${then}`,
  );

test('an instance of kro deletes its ApplySet, and no objects of another', () => {
  expect(ends([instance, web, other], instance)).toEqual([
    'Widget shop: terminating, deleted',
    'Deployment web: kept, deleted',
  ]);
  expect(appliedBy(web)?.who).toBe('kro instance Widget shop/shop');
  expect(told([instance, web], web)).toEqual([
    expect.stringMatching(/^warning recreated: kro instance shop\/shop .* 1 Deployment /),
  ]);
});

test('a claim of Crossplane takes along its composite resource, which is in no namespace', () => {
  expect(ends([claim, composite, gadget('other')], claim)).toEqual([
    'Widget db: terminating, deleted',
    'Gadget db-x7k: kept, deleted',
  ]);
  expect(appliedBy(composite)?.who).toBe('Crossplane claim shop/db');
});

test('an object that a Usage of Crossplane names is reported as refused', () => {
  const bucket = widget('bucket', { labels: { 'crossplane.io/in-use': 'true' } });
  expect(told([bucket], bucket).join('\n')).toMatchInlineSnapshot(
    `"warning may-be-refused: Widget bucket is in use, as a Usage of Crossplane says, whose webhook refuses the deletion: delete what uses it first, or the Usage."`,
  );
});

test('the finalizer names the tool, as the kinds are those of users', () => {
  expect(toolOf(widget('plain'))).toBeUndefined();
  const kind = { apiVersion: 'example.com/v1', kind: 'Widget' };
  expect([isTool(kind), isTool(kind, instance.finalizers)]).toEqual([false, true]);
  const alone = widget('alone', { finalizers: ['kro.run/finalizer'] });
  expect(deletedWith(deliveriesAmong([alone, web]), alone)).toEqual([]);
});

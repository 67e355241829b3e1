import { expect, test } from 'vitest';
import type { LogScope } from '../../../src/history/audit-log/kept-requests.ts';
import { event, lines, namesIn, readText } from './audit-events.ts';

const asked = Date.parse('2026-11-28T12:00:00Z');
const details = (uid: string) => ({ responseStatus: { code: 200, details: { uid } } });

/** A request so many minutes before what is asked for. */
function request(minutes: number, verb: string, text: string, fields: object = {}) {
  const [resource = '', place = ''] = text.split(' ');
  const [name = '', namespace] = place.split('/').reverse();
  const time = `${new Date(asked - minutes * 60_000).toISOString().slice(0, -1)}000Z`;
  return event({
    auditID: `${verb}-${text}-${minutes}`,
    verb,
    requestURI: `/api/v1/${text}`,
    objectRef: { resource, namespace, name },
    requestReceivedTimestamp: time,
    stageTimestamp: time,
    ...fields,
  });
}

const keptOf = async (events: readonly unknown[], scope: LogScope) =>
  namesIn(await readText(lines(...events), scope));

test('of a namespace: its requests, those of cluster-scoped objects, and those of claims', async () => {
  const events = [
    request(9, 'delete', 'pods shop/mine'),
    request(8, 'delete', 'pods blog/other'),
    request(7, 'delete', 'nodes worker-1'),
    request(6, 'delete', 'persistentvolumeclaims blog/disk'),
    request(5, 'deletecollection', 'pods blog/'),
    request(4, 'deletecollection', 'pods shop/'),
    request(3, 'delete', 'namespaces blog/blog'),
  ];
  expect(await keptOf(events, { namespace: 'shop' })).toEqual([
    'delete mine',
    'delete worker-1',
    'delete disk',
    'deletecollection ',
    'delete blog',
  ]);
  expect((await keptOf(events, {})).length).toBe(7);
});

test('of another namespace one deletion by each controller: the policy does not leave them out', async () => {
  const by = (name: string) => ({
    user: { username: `system:serviceaccount:kube-system:${name}` },
  });
  const events = [1, 2].flatMap((at) => [
    request(9 - at, 'delete', `pods blog/gc-${at}`, by('generic-garbage-collector')),
    request(6 - at, 'delete', `pods blog/job-${at}`, by('job-controller')),
    request(3 - at, 'update', `pods blog/set-${at}`, by('replicaset-controller')),
  ]);
  expect(await keptOf(events, { namespace: 'shop' })).toEqual(['delete gc-1', 'delete job-1']);
});

test('since a time: nothing about objects that were removed more than an hour before', async () => {
  const events = [
    request(200, 'create', 'pods shop/old'),
    request(190, 'delete', 'pods shop/old', details('u1')),
    request(180, 'create', 'pods shop/old'),
    request(170, 'create', 'pods shop/living'),
    request(160, 'create', 'pods shop/ending'),
    request(150, 'delete', 'pods shop/ending'),
    request(59, 'delete', 'pods shop/near', details('u2')),
    request(1, 'delete', 'pods shop/now', details('u3')),
  ];
  const kept = await keptOf(events, { since: asked });
  expect(kept).toEqual([
    'create old',
    'create living',
    'create ending',
    'delete ending',
    'delete near',
    'delete now',
  ]);
});

test('since a time: all about an object that is asked for, whenever it was removed', async () => {
  const events = [
    request(200, 'create', 'pods shop/mine'),
    request(190, 'delete', 'pods shop/mine', details('u1')),
    request(180, 'delete', 'pods shop/other', details('u2')),
  ];
  const asksFor = ({ name }: { readonly name: string }) => name === 'mine';
  expect(await keptOf(events, { since: asked, asksFor })).toEqual(['create mine', 'delete mine']);
});

test('until a time: nothing that was answered later', async () => {
  const events = [request(1, 'delete', 'pods shop/a'), request(-1, 'delete', 'pods shop/b')];
  expect(await keptOf(events, { until: asked })).toEqual(['delete a']);
});

test('the times of all requests are noted, also of those that are not kept', async () => {
  const events = [request(30, 'delete', 'pods blog/a'), request(-30, 'delete', 'pods shop/b')];
  expect(await readText(lines(...events), { namespace: 'none', until: asked })).toMatchObject({
    requests: [],
    from: asked - 30 * 60_000,
    to: asked + 30 * 60_000,
    events: 2,
  });
});

test('many objects that come and go are forgotten while the log is read', async () => {
  const user = { username: 'system:serviceaccount:kube-system:job-controller' };
  const events = Array.from({ length: 30_000 }, (_, at) => [
    request(1000 - at / 100, 'create', `pods shop/web-${at}`),
    request(1000 - at / 100, 'delete', `pods shop/web-${at}`, { user, ...details(`u${at}`) }),
  ]);
  const kept = await keptOf(events.flat(), { since: asked });
  // One deletion by each controller stays.
  expect(kept).toEqual(['delete web-0']);
});

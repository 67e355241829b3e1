import { expect, test } from 'vitest';
import { objectOf } from '../../src/kube/record-codec.ts';
import { Server } from '../../src/runner/server.ts';
import { WatchedKind } from '../../src/runner/watched-kind.ts';
import { type Answer, fakeClient } from '../cluster/fake-client.ts';
import { configMap, servedTypes } from '../support/builders.ts';
import { controllerClearance } from '../support/cleared.ts';

const path = '/api/v1/configmaps';
const type = servedTypes.find('v1', 'ConfigMap');

function listOf(version: number, ...items: ReturnType<typeof configMap>[]): Answer {
  const metadata = { resourceVersion: String(version) };
  return { body: { kind: 'List', apiVersion: 'v1', metadata, items: items.map(objectOf) } };
}

function watched(...lists: Answer[]) {
  if (!type) throw new Error('ConfigMaps are not served');
  const told: string[] = [];
  const server = new Server(
    fakeClient({ [path]: lists }),
    controllerClearance,
    servedTypes,
    new AbortController().signal,
  );
  const kind = new WatchedKind(server, type, {
    seen: (before, { name, resourceVersion }) =>
      told.push(`${before ? 'changed' : 'came'} ${name} ${resourceVersion}`),
    gone: ({ name }) => told.push(`went ${name}`),
  });
  return { kind, told };
}

const a = configMap('a', { resourceVersion: '3' });
const b = configMap('b', { resourceVersion: '4' });

test('a list shows what was created, changed and deleted since the one before', async () => {
  const changed = { ...a, resourceVersion: '6' };
  const { kind, told } = watched(listOf(5, a, b), listOf(7, changed));
  await kind.list();
  await kind.list();
  expect(told).toEqual(['came a 3', 'came b 4', 'changed a 6', 'went b']);
  expect([...kind.objects].map(({ name }) => name)).toEqual(['a']);
});

test.each<[Answer, string, string]>([
  [{ status: 302 }, 'unreadable', 'the server answered with HTTP status 302'],
  [{ status: 503, body: 'away' }, 'unavailable', 'the server answered with HTTP status 503'],
  [{ body: '<html>' }, 'unreadable', 'the answer is not JSON'],
])('refuses an unreadable list: %j', async (answer, code, why) => {
  const message = `cannot list configmaps: ${why}`;
  await expect(watched(answer).kind.list()).rejects.toMatchObject({ code, message });
});

test('an older list takes nothing back', async () => {
  const newer = { ...a, resourceVersion: '9' };
  const { kind, told } = watched(listOf(9, newer, b), listOf(8, a), listOf(8, a, b), listOf(2));
  await kind.list();
  await kind.list();
  await kind.list();
  await kind.list();
  // b went by the second list, and does not come back; a is newer than the last one.
  expect(told).toEqual(['came a 9', 'came b 4', 'went b']);
});

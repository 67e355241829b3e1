import { expect, test } from 'vitest';
import { withOwnersElsewhere } from '../../../src/cluster/list/owners-elsewhere.ts';
import { configMap, ownedByGone, snapshotOf } from '../../support/builders.ts';
import { encodeList } from '../encode-list.ts';
import { type Answer, fakeClient, protobuf, refusal } from '../fake-client.ts';

const deployments = '/apis/apps/v1/deployments?resourceVersion=0';
const owned = configMap('flags', {
  ownerReferences: [ownedByGone('apps/v1 Deployment web', { uid: 'uid-web' })],
});
const elsewhere = encodeList([
  { name: 'web', namespace: 'other', uid: 'uid-web' },
  { name: 'api', namespace: 'other', uid: 'uid-api' },
]);

test.each<[string, Record<string, Answer>, string[]]>([
  ['in another namespace', { [deployments]: protobuf(elsewhere) }, ['other/web']],
  ['where none may be listed', { [deployments]: refusal(403, 'forbidden') }, []],
])('an owner with the uid of a reference is looked for: %s', async (_, answers, found) => {
  const client = fakeClient(answers);
  const live = await withOwnersElsewhere(client, snapshotOf([]), [owned]);
  expect(live.records.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(found);
  expect(live.coverage).toEqual(snapshotOf([]).coverage);
});

test('no kind is listed when an object was read that has the uid', async () => {
  const read = snapshotOf([configMap('web', { uid: 'uid-web' })]);
  expect(await withOwnersElsewhere(fakeClient({}), read, [owned])).toBe(read);
});

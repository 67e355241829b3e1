import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import {
  customType,
  objectOfType,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  type SnapshotOptions,
} from '../../support/builders.ts';
import { answer, look } from '../../support/classified.ts';

describe('an unknown reference names', () => {
  test('a kind that was not read', () => {
    expect(look(ownedByGone('v1 Secret vault'), [], { unread: ['secrets'] })).toEqual(
      answer('unknown', 'not-read', 'GC-27', 'Secret objects in namespace shop were not read'),
    );
    expect(look(ownedByGone('v1 Node node-a'), [], { unread: ['nodes'] })).toEqual(
      answer('unknown', 'not-read', 'GC-27', 'Node objects were not read'),
    );
  });

  test.each(['.', '..', 'a/b', '../secrets/vault', 'a%b'])(
    'what no object is called, so that the collector asks for another path: %s',
    (name) => {
      expect(look({ ...ownedByGone('v1 Secret vault'), name }, [])).toEqual(
        answer(
          'unknown',
          'not-read',
          'GC-27',
          `no object can be called "${name}": the collector's request for this Secret goes to another path, and what it meets there was not read`,
        ),
      );
    },
  );

  test('a kind that was read in other namespaces only', () => {
    const coverage = { read: [{ resource: 'secrets', namespaces: ['bank'] }] };
    const dependent = pod('teller', { namespace: 'bank' });
    const reference = ownedByGone('v1 Secret vault');
    const outcome = (options: SnapshotOptions & { dependent?: ObjectRecord }) =>
      look(reference, [], { coverage, ...options }).outcome;
    expect([outcome({}), outcome({ dependent })]).toEqual(['not-read', 'absent']);
  });

  test('no Event, when they were read under either of their groups', () => {
    const reference = ownedByGone('events.k8s.io/v1 Event note');
    const outcome = (unread: string[]) => look(reference, [], { unread }).outcome;
    expect([
      outcome(['events']),
      outcome(['events.events.k8s.io']),
      outcome(['events', 'events.events.k8s.io']),
    ]).toEqual(['absent', 'absent', 'not-read']);
  });

  test('not an object that was asked for by name', () => {
    const coverage = { read: [], asked: [{ resource: 'nodes', namespace: '', name: 'node-a' }] };
    const outcome = (name: string) =>
      look(ownedByGone(`v1 Node ${name}`), [], { coverage }).outcome;
    expect([outcome('node-a'), outcome('node-b')]).toEqual(['absent', 'not-read']);
  });

  test('a group whose discovery failed', () => {
    const types = new ResourceTypes(builtInTypes, {
      failed: [{ group: 'metrics.k8s.io', version: undefined, message: 'it has no server' }],
      exhaustive: true,
    });
    expect(look(ownedByGone('metrics.k8s.io/v1 PodMetrics web'), [], { types })).toEqual(
      answer('unknown', 'not-read', 'GC-29', 'it has no server'),
    );
  });

  test('a kind that the input does not speak of', () => {
    const types = new ResourceTypes(builtInTypes, { exhaustive: false });
    expect(look(ownedByGone('example.com/v1 Widget cart'), [], { types })).toEqual(
      answer(
        'unknown',
        'not-read',
        'GC-29',
        'the input does not say whether example.com/v1 Widget is served',
      ),
    );
  });

  test.each(['uid-of-somebody', ''])('a manifest that was never applied (uid %j)', (uid) => {
    const web = replicaSet('web', { uid: '' });
    expect(look(ownedBy(web, { uid }), [web])).toEqual({
      ...answer(
        'unknown',
        'not-applied',
        'GC-28',
        'ReplicaSet web is a manifest without uid, so it is unknown whether it is this owner',
        web,
      ),
    });
  });

  test('the second group of an object that is served under two, when only one was read', () => {
    const role = customType('roles.authorization.example.com/v1 Role');
    const types = new ResourceTypes([...builtInTypes, role], { exhaustive: true });
    const reader = objectOfType(role, 'reader');
    const reference = ownedBy(reader, { apiVersion: 'rbac.authorization.k8s.io/v1' });
    const unread = ['roles.rbac.authorization.k8s.io'];
    expect(look(reference, [reader], { types, unread })).toEqual(
      answer('unknown', 'not-read', 'GC-27', 'Role objects in namespace shop were not read'),
    );
  });
});

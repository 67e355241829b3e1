import { describe, expect, test } from 'vitest';
import {
  autoscaler,
  clusterRole,
  event,
  gadget,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
  widget,
} from '../../support/builders.ts';
import { answer, look } from '../../support/classified.ts';

describe('a solid owner', () => {
  const web = replicaSet('web');
  const solid = answer('solid', 'found', 'GC-27', 'ReplicaSet web exists in namespace shop', web);

  test('lives at the coordinates of the reference and has its uid', () => {
    expect(look(ownedBy(web), [web])).toEqual(solid);
  });

  test('may be spelled in lower case', () => {
    expect(look(ownedBy(web, { kind: 'replicaset' }), [web])).toEqual({
      ...solid,
      because: 'replicaset web exists in namespace shop',
    });
  });

  test('may be named in another version that is served', () => {
    const scaler = autoscaler('web');
    expect(look(ownedBy(scaler, { apiVersion: 'autoscaling/v1' }), [scaler])).toEqual(
      answer(
        'solid',
        'found',
        'GC-27',
        'HorizontalPodAutoscaler web exists in namespace shop',
        scaler,
      ),
    );
  });

  test('may be cluster-scoped, and then owns objects of every namespace', () => {
    const rack = gadget('rack');
    for (const dependent of [
      pod('web-1'),
      pod('teller', { namespace: 'bank' }),
      clusterRole('r'),
    ]) {
      expect(look(ownedBy(rack), [rack], { dependent })).toEqual(
        answer('solid', 'found', 'GC-27', 'Gadget rack exists', rack),
      );
    }
  });

  test('may be an Event, under either of its groups', () => {
    const scheduled = event('web-1.scheduled');
    expect(look(ownedBy(scheduled, { apiVersion: 'events.k8s.io/v1' }), [scheduled])).toEqual(
      answer(
        'solid',
        'found',
        'GC-27',
        'Event web-1.scheduled exists in namespace shop',
        scheduled,
      ),
    );
  });

  test.each(['background', 'orphan'] as const)('may be terminating (%s)', (deleting) => {
    const leaving = replicaSet('web', { deleting, finalizers: ['shop.example.com/drain'] });
    expect(look(ownedBy(leaving), [leaving])).toEqual(solid);
  });

  test('may carry the finalizer of a foreground deletion that was not requested', () => {
    const armed = replicaSet('web', { finalizers: ['foregroundDeletion'] });
    expect(look(ownedBy(armed), [armed])).toEqual(solid);
  });
});

test('a waiting owner is being deleted in the foreground', () => {
  const web = replicaSet('web', { deleting: 'foreground' });
  expect(look(ownedBy(web), [web])).toEqual(
    answer('waiting', 'found', 'GC-27', 'ReplicaSet web is being deleted in the foreground', web),
  );
});

describe('a dangling reference leads to', () => {
  const web = replicaSet('web');

  test('nothing', () => {
    expect(look(ownedByGone('apps/v1 ReplicaSet web'), [])).toEqual(
      answer('dangling', 'absent', 'GC-27', 'there is no ReplicaSet web in namespace shop'),
    );
    expect(look(ownedByGone('v1 Node node-a'), [])).toEqual(
      answer('dangling', 'absent', 'GC-27', 'there is no Node node-a'),
    );
  });

  test('an object that was created again', () => {
    expect(look(ownedBy(web, { uid: 'uid-of-the-first' }), [web])).toEqual(
      answer(
        'dangling',
        'other-uid',
        'GC-28',
        'the ReplicaSet web in namespace shop has another uid: the owner was deleted, and one with the same name created',
        web,
      ),
    );
  });

  test('an object with another uid, while the one with that uid lives', () => {
    const blue = replicaSet('blue');
    expect(look(ownedBy(blue, { name: 'web' }), [web, blue])).toEqual(
      answer(
        'dangling',
        'other-uid',
        'GC-28',
        'the ReplicaSet web in namespace shop has another uid',
        web,
      ),
    );
  });

  const elsewhere = (text: string) =>
    answer(
      'dangling',
      'elsewhere',
      'GC-28',
      `there is no ${text}; the object with that uid is another`,
    );

  test('a wrong name', () => {
    expect(look(ownedBy(web, { name: 'wbe' }), [web])).toEqual(
      elsewhere('ReplicaSet wbe in namespace shop'),
    );
  });

  test('a wrong kind', () => {
    expect(look(ownedBy(web, { apiVersion: 'v1', kind: 'Secret' }), [web])).toEqual(
      elsewhere('Secret web in namespace shop'),
    );
  });

  test('another namespace', () => {
    const vault = secret('vault', { namespace: 'bank' });
    expect(look(ownedBy(vault), [vault])).toEqual(elsewhere('Secret vault in namespace shop'));
  });

  test('a wrong name of a kind that was not read, as a uid belongs to one object only', () => {
    const settings = ownedBy(web, { apiVersion: 'v1', kind: 'Secret' });
    const because = 'the object with that uid is not the Secret web in namespace shop';
    expect(look(settings, [web], { unread: ['secrets'] })).toEqual(
      answer('dangling', 'elsewhere', 'GC-28', because),
    );
  });

  test.each([
    ['PodList', 'v1', pod('web-1')],
    ['List', 'v1', pod('web-1')],
    ['List', 'apps/v1', clusterRole('reader')],
    ['NodeList', 'v1', clusterRole('reader')],
  ])('a list: %s', (kind, apiVersion, dependent) => {
    const reference = ownedBy(web, { apiVersion, kind });
    expect(look(reference, [web], { dependent })).toEqual(
      answer('dangling', 'list-kind', 'GC-29', `${kind} is a list, and a GET of one finds nothing`),
    );
  });

  test('a kind that can only be created', () => {
    expect(look(ownedByGone('v1 Binding web'), [])).toEqual(
      answer(
        'dangling',
        'not-gettable',
        'GC-29',
        'Binding objects cannot be read back, so none is ever found',
      ),
    );
  });
});

describe('an unresolvable reference names', () => {
  test('a kind that is not served', () => {
    expect(look(ownedByGone('gone.example.com/v1 Gone web'), [])).toEqual(
      answer('unresolvable', 'unserved-kind', 'GC-30', 'no API serves gone.example.com/v1 Gone'),
    );
  });

  test.each(['PODS', 'podlist', 'Scale'])('a kind in a spelling that is not served: %s', (kind) => {
    expect(look(ownedByGone(`v1 ${kind} web`), [])).toEqual(
      answer('unresolvable', 'unserved-kind', 'GC-30', `no API serves v1 ${kind}`),
    );
  });

  test('a version that is not served, even if the owner lives', () => {
    const web = replicaSet('web');
    expect(look(ownedBy(web, { apiVersion: 'apps/v1beta2' }), [web])).toEqual(
      answer(
        'unresolvable',
        'unserved-version',
        'GC-30',
        'apps/v1beta2 does not serve ReplicaSet; v1 of its group does, and the garbage collector never tries another version',
      ),
    );
  });

  test('an apiVersion that is none', () => {
    expect(look(ownedByGone('shop/v1/extra Pod web'), [])).toEqual(
      answer('unresolvable', 'unserved-kind', 'GC-30', 'no API serves shop/v1/extra Pod'),
    );
  });

  test.each(['Widget', 'widget', 'WidgetList'])(
    'a namespaced kind, on a cluster-scoped object: %s',
    (kind) => {
      const cart = widget('cart');
      const dependent = clusterRole('reader');
      expect(look(ownedBy(cart, { kind }), [cart], { dependent })).toEqual(
        answer(
          'unresolvable',
          'namespaced-owner-of-cluster-object',
          'GC-45',
          `ClusterRole is cluster-scoped, so there is no namespace in which to look for ${kind} cart`,
        ),
      );
    },
  );
});

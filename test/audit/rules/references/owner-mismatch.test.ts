import { describe, expect, test } from 'vitest';
import {
  crossNamespaceOwner,
  missingOwner,
  ownerKindMismatch,
  ownerNameMismatch,
  ownerUidMismatch,
} from '../../../../src/audit/rules/owner-mismatch.ts';
import {
  autoscaler,
  blocking,
  clusterRole,
  event,
  gadget,
  node,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
} from '../../../support/builders.ts';
import { finder, findingsOf, named, owned } from '../../../support/findings.ts';

const web = replicaSet('web');
const blue = replicaSet('blue');
const vault = secret('vault', { namespace: 'bank' });
const rack = gadget('rack');
const collected = { consequences: ['deleted on the next pass'], gcRule: 'GC-22.13' };
const removed = { consequences: ['reference removed'], gcRule: 'GC-22.11' };

describe('missing-owner', () => {
  const found = finder(missingOwner);
  const live = replicaSet('live');
  const gone = ownedByGone('apps/v1 ReplicaSet gone');
  const kept =
    'keep it: remove the reference; it then stays until it is deleted by hand, and nothing manages it: no ReplicaSet replaces it when it fails or its node goes, unless one with a matching selector adopts it';
  const finding = {
    at: 'Pod web-1 > ReplicaSet gone',
    because: 'there is no ReplicaSet gone in namespace shop',
    ...collected,
    fix: `let it go: the garbage collector deletes it; or ${kept}`,
    edits: [],
  };
  const spared = 'remove the reference; another owner keeps the object';

  test('a pod whose ReplicaSet is gone will be deleted', () => {
    expect(found(owned(gone))).toEqual([finding]);
  });

  test('beside an owner that lives, the reference is removed', () => {
    const edits = ['1: removed'];
    expect(found(owned(ownedBy(live), gone), live)).toEqual([
      { ...finding, ...removed, fix: spared, edits },
    ]);
  });

  test('beside one that freezes the object, nothing happens ever', () => {
    expect(found(owned(gone, ownedByGone('a.example.com/v1 A a')))).toEqual([
      {
        ...finding,
        consequences: ['never collected'],
        gcRule: 'GC-30',
        fix: `let it go: it stays as long as another of its references cannot be looked up; or ${kept}`,
      },
    ]);
  });

  test('beside an owner that was not read, what happens is unknown', () => {
    const options = { unread: ['secrets'] };
    const unknown = ownedByGone('v1 Secret vault');
    expect(findingsOf(missingOwner, [owned(gone, unknown)], options)).toEqual([
      {
        ...finding,
        consequences: ['unknown because an API could not be read'],
        gcRule: 'GC-27',
        fix: `let it go: the garbage collector deletes it if its other owners are gone, which was not read; or ${kept}`,
      },
    ]);
    const beside = [owned(gone, unknown, ownedBy(live)), live];
    expect(findingsOf(missingOwner, beside, options)).toEqual([
      {
        ...finding,
        consequences: ['kept only by another owner'],
        gcRule: 'GC-27',
        fix: spared,
        edits: ['0: removed'],
      },
    ]);
  });

  test('an object on its way out stays on it', () => {
    const leaving = pod('web-1', { ownerReferences: [gone], deleting: 'background' });
    expect(found(leaving)).toEqual([
      {
        ...finding,
        consequences: ['already being deleted'],
        gcRule: 'GC-22.1',
        fix: 'none: it is being deleted already, and that cannot be undone',
      },
    ]);
  });

  test('an Event is not watched, so it is never collected', () => {
    expect(found(event('note', { ownerReferences: [gone] }))).toEqual([
      {
        ...finding,
        at: 'Event note > ReplicaSet gone',
        consequences: ['never collected'],
        gcRule: 'GC-8',
        fix: 'let it go: it stays, as the garbage collector does not watch its kind; or keep it: remove the reference; it then stays until it is deleted by hand',
      },
    ]);
  });

  test('a missing cluster-scoped owner, a list and a kind that is only a request are missing too', () => {
    const role = clusterRole('reader', { ownerReferences: [ownedByGone('v1 Node node-a')] });
    const odd = named('odd', ownedByGone('v1 PodList x'), ownedByGone('v1 Binding x'));
    expect(found(role, odd).map(({ at, because }) => [at, because])).toEqual([
      ['ClusterRole reader > Node node-a', 'there is no Node node-a'],
      ['Pod odd > PodList x', 'PodList is a list, and a GET of one finds nothing'],
      ['Pod odd > Binding x', 'Binding objects cannot be read back, so none is ever found'],
    ]);
  });

  test('owners that live, wait, were recreated, are elsewhere or are unknown are not missing', () => {
    const waiting = replicaSet('waiting', { deleting: 'foreground' });
    const records = [
      live,
      waiting,
      rack,
      vault,
      named('fine', ownedBy(live, blocking), ownedBy(rack)),
      named('waits', ownedBy(waiting)),
      named('stale', ownedBy(live, { uid: 'uid-of-the-first' })),
      named('lost', ownedBy(vault)),
      named('misnamed', ownedBy(live, { name: 'x' })),
      named('frozen', ownedByGone('a.example.com/v1 A a')),
      named('unsure', ownedByGone('v1 ConfigMap settings')),
    ];
    expect(findingsOf(missingOwner, records, { unread: ['configmaps'] })).toEqual([]);
  });
});

describe('owner-uid-mismatch', () => {
  const found = finder(ownerUidMismatch);
  const stale = ownedBy(web, { uid: 'uid-of-the-first' });
  const finding = {
    at: 'Pod web-1 > ReplicaSet web',
    because:
      'the ReplicaSet web in namespace shop has another uid: the owner was deleted, and one with the same name created',
    ...collected,
    fix: 'point the reference at the ReplicaSet that exists now (uid uid-replicaset-shop-web)',
    edits: ['0: uid=uid-replicaset-shop-web'],
  };

  test('a pod of the ReplicaSet that was there before is deleted', () => {
    expect(found(owned(stale), web)).toEqual([finding]);
  });

  test('beside an owner that lives, the reference is removed', () => {
    const host = node('node-a');
    expect(found(owned(stale, ownedBy(host)), web, host)).toEqual([{ ...finding, ...removed }]);
  });

  test('an object that names a former self is not pointed at itself', () => {
    expect(found(replicaSet('web', { ownerReferences: [stale] }))).toEqual([
      {
        ...finding,
        at: 'ReplicaSet web > ReplicaSet web',
        fix: 'remove the reference; it names the object itself',
        edits: ['0: removed'],
      },
    ]);
  });

  test('the right uid is no mismatch, and neither is that of an object elsewhere', () => {
    const misnamed = named('misnamed', ownedBy(blue, { name: 'web' }));
    const lost = named('lost', { ...stale, name: 'nobody' });
    expect(found(web, blue, named('fine', ownedBy(web)), misnamed, lost)).toEqual([]);
  });

  test('a manifest that was never applied has no uid to differ', () => {
    expect(found(owned(stale), replicaSet('web', { uid: '' }))).toEqual([]);
  });
});

describe('owner-name-mismatch', () => {
  const found = finder(ownerNameMismatch);
  const misspelt = ownedBy(blue, { name: 'bleu' });
  const finding = {
    at: 'Pod web-1 > ReplicaSet bleu',
    because: 'the uid is that of apps/v1 ReplicaSet shop/blue, but the reference says bleu',
    ...collected,
    fix: 'name the owner as apps/v1 ReplicaSet shop/blue',
    edits: ['0: name=blue'],
  };

  test('a misspelt owner is no owner, not even if its name is that of another one', () => {
    expect(found(owned(misspelt), blue)).toEqual([finding]);
    expect(found(owned(misspelt), blue, replicaSet('bleu'))).toEqual([finding]);
  });

  test('the same uid named rightly as well: the patch by uid takes both', () => {
    expect(found(owned(misspelt, ownedBy(blue)), blue)).toEqual([{ ...finding, ...removed }]);
  });

  test('in another version that is served it is the same kind', () => {
    const scaler = autoscaler('web');
    const reference = ownedBy(scaler, { apiVersion: 'autoscaling/v1', name: 'wbe' });
    expect(found(owned(reference), scaler).map(({ edits }) => edits)).toEqual([
      ['0: apiVersion=autoscaling/v2 name=web'],
    ]);
  });

  test('a wrong kind, a wrong namespace or nothing wrong is another matter', () => {
    const records = [
      blue,
      vault,
      named('fine', ownedBy(blue)),
      named('kind', ownedBy(blue, { kind: 'Deployment', name: 'bleu' })),
      named('abroad', ownedBy(vault, { name: 'x' })),
      named('frozen', ownedBy(blue, { apiVersion: 'apps/v1beta2', name: 'x' })),
    ];
    expect(found(...records)).toEqual([]);
  });
});

describe('owner-kind-mismatch', () => {
  const found = finder(ownerKindMismatch);
  const finding = {
    at: 'Pod web-1 > Deployment web',
    because:
      'the uid is that of apps/v1 ReplicaSet shop/web, but the reference says apps/v1 Deployment web',
    ...collected,
    fix: 'name the owner as apps/v1 ReplicaSet shop/web',
    edits: ['0: kind=ReplicaSet'],
  };
  const editsFor = (changes: Parameters<typeof ownedBy>[1]) =>
    found(owned(ownedBy(web, changes)), web).map(({ edits }) => edits);

  test('a uid under the wrong kind is no owner', () => {
    const wrong = ownedBy(web, { apiVersion: 'apps/v1', kind: 'Deployment' });
    expect(found(owned(wrong), web)).toEqual([finding]);
  });

  test('the fix puts group and name right as well', () => {
    expect(editsFor({ apiVersion: 'v1', kind: 'Secret', name: 'x' })).toEqual([
      ['0: apiVersion=apps/v1 kind=ReplicaSet name=web'],
    ]);
  });

  test('a list of its kind is another kind', () => {
    expect(editsFor({ kind: 'ReplicaSetList' })).toEqual([['0: kind=ReplicaSet']]);
  });

  test('a cluster-scoped object cannot be given a namespaced owner', () => {
    const ownerReferences = [ownedBy(web, { apiVersion: 'v1', kind: 'Node' })];
    expect(found(clusterRole('reader', { ownerReferences }), web)).toEqual([
      {
        ...finding,
        at: 'ClusterRole reader > Node web',
        because:
          'the uid is that of apps/v1 ReplicaSet shop/web, but the reference says v1 Node web',
        fix: 'remove the reference',
        edits: ['0: removed'],
      },
    ]);
  });

  test('does not fire for lower case, a wrong name, another namespace or a kind that is not served', () => {
    const records = [
      web,
      vault,
      named('fine', ownedBy(web, { kind: 'replicaset' })),
      named('misnamed', ownedBy(web, { name: 'x' })),
      named('abroad', ownedBy(vault, { kind: 'ConfigMap' })),
      named('frozen', ownedBy(web, { kind: 'Sett' })),
    ];
    expect(found(...records)).toEqual([]);
  });
});

describe('cross-namespace-owner', () => {
  const found = finder(crossNamespaceOwner);
  const finding = {
    at: 'Pod web-1 > Secret vault',
    because:
      "the uid is that of v1 Secret bank/vault, but owners are looked up in the dependent's namespace shop only",
    ...collected,
    fix: 'remove the reference; tie the two together with a label and a finalizer of the owner instead',
    edits: ['0: removed'],
  };
  const near = secret('vault');

  test('an owner in another namespace is none, not even if one of that kind and name is in the own one', () => {
    expect(found(owned(ownedBy(vault)), vault)).toEqual([finding]);
    expect(found(owned(ownedBy(vault)), vault, near)).toEqual([finding]);
  });

  test('beside an owner that lives, the reference is removed', () => {
    const record = owned(ownedBy(vault), ownedBy(web));
    expect(found(record, vault, web)).toEqual([{ ...finding, ...removed }]);
  });

  test('on a frozen object it blocks the deletion of that owner', () => {
    const record = owned(ownedBy(vault, blocking), ownedByGone('a.example.com/v1 A a'));
    const consequences = ['never collected', 'blocks a foreground deletion for ever'];
    expect(found(record, vault)).toEqual([{ ...finding, consequences, gcRule: 'GC-30' }]);
  });

  test('owners in the own namespace or in none are right, and cluster-scoped dependents another matter', () => {
    const records = [
      rack,
      near,
      vault,
      named('fine', ownedBy(rack), ownedBy(near)),
      named('gone', ownedByGone('v1 Secret x')),
      clusterRole('reader', { ownerReferences: [ownedBy(vault)] }),
      clusterRole('odd', { ownerReferences: [ownedBy(vault, { kind: 'Node' })] }),
    ];
    expect(found(...records)).toEqual([]);
  });
});

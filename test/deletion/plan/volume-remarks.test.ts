import { describe, expect, test } from 'vitest';
import type { ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, configMap } from '../../support/builders.ts';
import { planned } from './planned.ts';
import { told } from './told.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim');
const volume = builderOf('v1', 'PersistentVolume');
const statefulSet = builderOf('apps/v1', 'StatefulSet');

const bound = (name: string, volumeName = `pv-${name}`) =>
  claim(name, { facts: { volumeName, phase: 'Bound' } });
const disk = (name: string, policy: string, facts: ObjectFacts = {}) =>
  volume(`pv-${name}`, {
    facts: {
      phase: 'Bound',
      persistentVolumeReclaimPolicy: policy,
      claimRef: { namespace: 'shop', name },
      ...facts,
    },
  });

describe('of several claims', () => {
  test('those whose volumes share a policy are one line, in the order of the policies', () => {
    const [a, b, c] = [bound('a'), bound('b'), bound('c')];
    const records = [a, b, c, disk('a', 'Retain'), disk('b', 'Delete'), disk('c', 'Retain')];
    expect(told(records, [a, b, c])).toEqual([
      'warning data: The data of PersistentVolume pv-b goes with PersistentVolumeClaim b: reclaim policy Delete. Set the policy to Retain before, to keep it.',
      'note volume: 2 PersistentVolumes: reclaim policy Retain, they stay Released with their data when PersistentVolumeClaim a, PersistentVolumeClaim c are gone.',
    ]);
    expect(planned(records, [a, b, c]).remarks[1]?.objects.map(({ name }) => name)).toEqual([
      'pv-a',
      'pv-c',
      'a',
      'c',
    ]);
  });

  test('three are named, and the others counted', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const records = names.flatMap((name) => [bound(name), disk(name, 'Recycle')]);
    const claims = records.filter(({ type }) => type.kind === 'PersistentVolumeClaim');
    expect(told(records, claims)[0]).toBe(
      'warning data: The data of 5 PersistentVolumes goes with 5 PersistentVolumeClaims (a, b, c and 2 more): reclaim policy Recycle. Set the policy to Retain before, to keep it.',
    );
    expect(told(records.slice(0, 6), claims.slice(0, 3))[0]).toContain(
      'of 3 PersistentVolumes goes with 3 PersistentVolumeClaims (a, b, c): reclaim',
    );
  });

  test('whose volumes were not read it is unknown', () => {
    const [a, b] = [bound('a'), bound('b')];
    expect(told([a, b], [a, b])).toEqual([
      'warning data: Whether the data of 2 PersistentVolumeClaims (a, b) goes is not known: the reclaim policy of their volumes was not read.',
    ]);
  });
});

describe('the volume of a claim', () => {
  const data = bound('data');
  const policyOf = (...volumes: ObjectRecord[]) =>
    /reclaim policy ([A-Z]\w+)/.exec(told([data, ...volumes, configMap('c')], data)[0] ?? '')?.[1];

  test('is the one that names it, by uid before name', () => {
    const claimRef = { namespace: 'shop', name: 'data' };
    const byUid = disk('one', 'Delete', { claimRef: { ...claimRef, uid: data.uid } });
    const ofAnother = disk('two', 'Retain', { claimRef: { ...claimRef, uid: 'another' } });
    expect(policyOf(byUid, ofAnother)).toBe('Delete');
    expect(policyOf(ofAnother, byUid)).toBe('Delete');
    expect(policyOf(disk('three', 'Retain', { claimRef }))).toBe('Retain');
  });

  test('is else the one that it names, whatever that was read of', () => {
    expect(policyOf(disk('data', 'Retain', { claimRef: undefined } as never))).toBe('Retain');
    expect(policyOf(volume('pv-data'))).toBeUndefined();
    expect(policyOf(disk('data', 'Delete', { claimRef: { namespace: 'b', name: 'data' } }))).toBe(
      'Delete',
    );
    expect(policyOf(disk('else', 'Delete', { claimRef: { namespace: 'b', name: 'data' } }))).toBe(
      undefined,
    );
  });

  test('is none yet of a claim that names none and that none names', () => {
    const pending = claim('data', { facts: { phase: 'Pending' } });
    expect(told([pending, disk('other', 'Delete')], pending)).toEqual([]);
  });
});

describe('claims of a StatefulSet are told by their names', () => {
  const db = statefulSet('db', { facts: { replicas: 1, volumeClaimTemplates: ['data'] } });
  const stay = (...claims: ObjectRecord[]) => told([db, ...claims], db);

  test.each(['data-db-0', 'data-db-10'])('%s is one', (name) => {
    expect(stay(claim(name))).toEqual([
      `note volume: 1 claim of StatefulSet db stays behind: PersistentVolumeClaim ${name} (retention policy Retain).`,
    ]);
  });

  test.each(['data-db-x', 'data-db-', '-db-0', 'data-dbs-0', 'data-db-0x', 'data-db-x0', 'db-0'])(
    '%s is none',
    (name) => {
      expect(stay(claim(name))).toEqual([]);
    },
  );

  test('those in other namespaces, and those that are going, are none', () => {
    expect(stay(claim('data-db-0', { namespace: 'b' }))).toEqual([]);
    const going = claim('data-db-0', { deleting: 'background', finalizers: ['x.com/y'] });
    expect(stay(going)).toEqual([]);
  });
});

describe('a volume that is deleted itself', () => {
  const provisioned = { source: { csi: 'disk.example.com' } };
  const left = (version: string, target: ObjectRecord) => {
    const messages = planned([target], target, {}, { serverVersion: version }).remarks;
    return messages.map(({ message }) => message);
  };
  const passes =
    'PersistentVolume pv-a: what backs it stays: provisioner disk.example.com passes over a volume that is being deleted without external-provisioner.volume.kubernetes.io/finalizer (set by default since v1.31';

  test('leaves what backs it, where its provisioner has set no finalizer', () => {
    const target = disk('a', 'Delete', provisioned);
    expect(left('v1.30.4', target)).toEqual([
      `${passes}, and this is v1.30). Delete its claim instead, and the volume follows.`,
    ]);
    expect(left('v1.36.3', target)[0]).toContain(`${passes}).`);
    const finalizers = ['external-provisioner.volume.kubernetes.io/finalizer'];
    expect(left('v1.36.3', { ...target, finalizers })).toEqual([]);
    expect(left('v1.30.4', disk('a', 'Retain', provisioned))).toEqual([]);
    expect(left('v1.30.4', disk('a', 'Delete', { source: { hostPath: '/tmp/a' } }))).toEqual([]);
  });
});

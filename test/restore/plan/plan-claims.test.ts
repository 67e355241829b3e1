import { describe, expect, test } from 'vitest';
import { rowsOf } from '../../support/rows.ts';
import { decided, kube, plan, saved } from '../saved.ts';

type Kube = ReturnType<typeof kube>;

describe('claims and their volumes', () => {
  test('a volume whose claim uses another one', () => {
    const claimRef = { namespace: 'shop', name: 'data', uid: 'old' };
    const spec = { persistentVolumeReclaimPolicy: 'Retain', claimRef };
    const volume = saved(kube('v1 PersistentVolume disk', {}, { spec }));
    const claim = (volumeName: string) =>
      kube('v1 PersistentVolumeClaim data', {}, { spec: { volumeName } });
    const outcomes = ['disk', 'disk-2'].map((name) => plan([volume], { there: [claim(name)] })[0]);
    expect(outcomes.map((one) => [one?.action, one?.because])).toEqual([
      ['create', 'it is not there'],
      ['cannot', 'PersistentVolumeClaim data in namespace shop uses the volume disk-2 now'],
    ]);
    expect(outcomes[0]?.manifest?.spec).toMatchObject({
      claimRef: { namespace: 'shop', name: 'data' },
    });
  });

  const disk = (claimRef?: object, metadata = {}) =>
    kube('v1 PersistentVolume disk', metadata, { spec: { claimRef } });
  const claimWith = (volumeName: string | undefined, metadata: object = {}) =>
    kube('v1 PersistentVolumeClaim data', metadata, { spec: { volumeName } });
  const mine = { namespace: 'shop', name: 'data' };
  const another = 'the claim gets another volume, without its data';
  const going = { deletionTimestamp: '2026-01-31T12:00:00Z' };
  const found: Readonly<Record<string, Kube[]>> = {
    bound: [disk({ ...mine, uid: 'old' })],
    reserved: [disk(mine)],
    free: [disk()],
    taken: [disk({ ...mine, name: 'taker', uid: 'x' })],
    elsewhere: [disk({ ...mine, namespace: 'bank', uid: 'x' })],
    going: [disk(mine, going)],
  };
  // What is seen of the volume, whether the claim names it still, whether it is waited for, and the note.
  const rows = rowsOf(`
    bound     | named | disk | its volume disk is still there, with its data, and is bound again
    reserved  | named | disk |
    free      | named | disk |
    taken     |       | disk | its volume disk is used by PersistentVolumeClaim taker in namespace shop: ${another}
    elsewhere |       | disk | its volume disk is used by PersistentVolumeClaim data in namespace bank: ${another}
    going     |       | disk | its volume disk is being deleted: ${another}
    gone      |       |      | its volume disk is gone: the claim gets a new, empty volume, and the data is gone
  `);
  test.each(rows)('a claim whose volume is %s', (state = '', named, volume, note) => {
    const [planned] = plan([saved(claimWith('disk'))], { there: found[state] ?? [] });
    expect(planned?.manifest?.spec).toEqual(named ? { volumeName: 'disk' } : {});
    expect([planned?.volume ?? '', planned?.notes.join()]).toEqual([volume, note]);
    const release = state === 'bound' ? { name: 'disk', claimUid: 'old' } : undefined;
    expect(planned?.release).toEqual(release);
  });

  test('a claim whose volume cannot be looked up keeps it', () => {
    const forbidden = ['v1 PersistentVolume disk'];
    const [planned] = plan([saved(claimWith('disk'))], { forbidden });
    expect(planned).toMatchObject({
      action: 'create',
      manifest: { spec: { volumeName: 'disk' } },
      volume: 'disk',
      notes: ['whether its volume disk is still there is unknown: it is forbidden'],
    });
  });

  test.each([undefined, ''])('a claim that had no volume (%j)', (volumeName) => {
    const [planned] = plan([saved(claimWith(volumeName))]);
    expect(planned).toMatchObject({ action: 'create', notes: [] });
    expect(planned?.volume).toBeUndefined();
  });

  test('a claim whose volume is gone is provisioned for where its pod will be', () => {
    const annotations = { 'volume.kubernetes.io/selected-node': 'n1', note: 'kept' };
    const [planned] = plan([saved(claimWith('disk', { annotations }))]);
    expect(planned?.manifest?.metadata.annotations).toEqual({ note: 'kept' });
  });

  test('a claim that was never deleted is left as it is', () => {
    const live = { ...claimWith('disk-2'), status: { phase: 'Pending' } };
    const [planned] = plan([saved(claimWith('disk'))], { there: [live, disk()] });
    expect([planned?.action, planned?.because, planned?.volume]).toEqual([
      'exists',
      'it is still there',
      undefined,
    ]);
  });

  test('a volume whose claim is gone', () => {
    const [planned] = plan([saved(disk({ ...mine, uid: 'old' }))]);
    expect(planned).toMatchObject({ action: 'create', manifest: { spec: { claimRef: mine } } });
  });

  test.each([undefined, ''])('a volume whose claim has none yet (%j)', (volumeName) => {
    const there = [claimWith(volumeName)];
    expect(decided([saved(disk(mine))], { there })).toEqual(['create', 'it is not there']);
  });

  test('other kinds have no volumes, claims or accounts, whatever their fields are called', () => {
    const annotations = { 'kubernetes.io/service-account.name': 'robot' };
    const type = 'kubernetes.io/service-account-token';
    const spec = { volumeName: 'disk', claimRef: mine };
    const planned = plan(
      [
        saved(kube('v1 ConfigMap odd', { annotations }, { spec, type })),
        saved(kube('v1 Secret plain', { annotations }, { type: 'Opaque' })),
        saved(disk()),
        saved(kube('v1 ServiceAccount robot')),
      ],
      { there: [claimWith('disk-2')] },
    );
    expect(planned.map(({ saved: { name }, wave, action }) => [name, wave, action])).toEqual([
      ['odd', 0, 'create'],
      ['disk', 0, 'create'],
      ['plain', 0, 'create'],
      ['robot', 0, 'create'],
    ]);
  });

  test.each([
    ['disk-2', [disk()], 'cannot', 'with the volume disk-2'],
    [undefined, [disk()], 'cannot', 'without a volume'],
    ['', [disk()], 'cannot', 'without a volume'],
    ['disk-2', [], 'exists', 'it already exists, with the same content'],
    ['disk', [disk()], 'exists', 'it already exists, with the same content'],
  ])('a claim that is there with the volume "%s"', (volumeName, there, action, because) => {
    const live = claimWith(volumeName, { uid: 'new' });
    const lost = `it is there, but ${because}, while the data is in its saved volume disk`;
    expect(decided([saved(claimWith('disk'))], { there: [live, ...there] })).toEqual([
      action,
      action === 'cannot' ? lost : because,
    ]);
  });

  test.each([
    ['Bound', undefined],
    ['Pending', 'disk'],
    ['Lost', 'disk'],
  ])('a claim that is there and %s', (phase, volume) => {
    const live = { ...claimWith('disk', { uid: 'new' }), status: { phase } };
    const [planned] = plan([saved(claimWith('disk'))], { there: [live, disk()] });
    expect([planned?.action, planned?.volume]).toEqual(['exists', volume]);
  });
});

import { describe, expect, test } from 'vitest';
import { kube, plan, saved } from '../saved.ts';

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
  test.each([
    ['reserved by name', [disk(mine)], 'disk', 'disk', []],
    ['free', [disk()], 'disk', 'disk', []],
    [
      'used by another claim',
      [disk({ ...mine, name: 'taker', uid: 'x' })],
      undefined,
      'disk',
      [`its volume disk is used by PersistentVolumeClaim taker in namespace shop: ${another}`],
    ],
    [
      'going',
      [disk(mine, { deletionTimestamp: '2026-01-31T12:00:00Z' })],
      undefined,
      'disk',
      [`its volume disk is being deleted: ${another}`],
    ],
    [
      'gone',
      [],
      undefined,
      undefined,
      ['its volume disk is gone: the claim gets a new, empty volume, and the data is gone'],
    ],
  ])('a claim whose volume is %s', (_, there, volumeName, volume, notes) => {
    const [planned] = plan([saved(claimWith('disk'))], { there });
    expect([planned?.manifest?.spec, planned?.volume, planned?.notes]).toEqual([
      volumeName === undefined ? {} : { volumeName },
      volume,
      notes,
    ]);
  });

  test.each([
    ['disk-2', [disk()], 'cannot', 'with the volume disk-2'],
    ['', [disk()], 'cannot', 'without a volume'],
    ['disk-2', [], 'exists', 'it already exists, with the same content'],
    ['disk', [disk()], 'exists', 'it already exists, with the same content'],
  ])('a claim that is there with the volume "%s"', (volumeName, there, action, because) => {
    const live = claimWith(volumeName, { uid: 'new' });
    const [planned] = plan([saved(claimWith('disk'))], { there: [live, ...there] });
    const lost = `it is there, but ${because}, while the data is in its saved volume disk`;
    expect([planned?.action, planned?.because]).toEqual([
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

import { describe, expect, test } from 'vitest';
import type { PlannedRestoration } from '../../../src/restore/plan/restoration.ts';
import { casesOfRestorations, kube, outcomesOf, plan, saved, told } from '../saved.ts';

/** Action and reason, what is created, the volume that is waited for, the one that is released, and notes. */
const inFull = (planned: readonly PlannedRestoration[]) =>
  planned.flatMap(({ action, because, manifest, volume, release, notes }) => [
    `${action}: ${because}`,
    ...(action === 'create' ? [`spec: ${JSON.stringify(manifest?.spec)}`] : []),
    ...(volume === undefined ? [] : [`volume: ${volume}`]),
    ...(release ? [`released: ${release.name} from ${release.claimUid}`] : []),
    ...notes,
  ]);

const claim = (volumeName: string | undefined, more = '') =>
  `v1 PersistentVolumeClaim data {spec: {${volumeName === undefined ? '' : `volumeName: "${volumeName}"`}}${more}}`;
const disk = (ref: string, more = '') =>
  `v1 PersistentVolume disk {spec: {claimRef: ${ref}}${more}}`;
const mine = '{namespace: shop, name: data}';
const bound = '{namespace: shop, name: data, uid: old}';

describe('a claim', () => {
  const going = ', metadata: {deletionTimestamp: 2026-01-31T12:00:00Z}';
  const live = (volumeName: string | undefined) => claim(volumeName, ', metadata: {uid: new}');
  const inPhase = (phase: string) =>
    claim('disk', `, metadata: {uid: new}, status: {phase: ${phase}}`);
  test('is bound to its volume again where that is possible', () => {
    expect(
      outcomesOf(
        inFull,
        `
    whose volume is bound to what it was | ${claim('disk')} | ${disk(bound)}
    whose volume is reserved for it | ${claim('disk')} | ${disk(mine)}
    whose volume is free | ${claim('disk')} | ${disk('null')}
    whose volume is taken | ${claim('disk')} | ${disk('{namespace: shop, name: taker, uid: x}')}
    whose volume is used elsewhere | ${claim('disk')} | ${disk('{namespace: bank, name: data, uid: x}')}
    whose volume is going | ${claim('disk')} | ${disk(mine, going)}
    whose volume is gone | ${claim('disk')}
    whose volume cannot be looked up | ${claim('disk')} |  | {forbidden: [v1 PersistentVolume disk]}
    that had no volume | ${claim(undefined)}
    that had none by an empty name | ${claim('')}
    that was never deleted | ${claim('disk')} | ${claim('disk-2', ', status: {phase: Pending}')}; ${disk('null')}
    that is there with another volume | ${claim('disk')} | ${live('disk-2')}; ${disk('null')}
    that is there without one | ${claim('disk')} | ${live(undefined)}; ${disk('null')}
    that is there with an empty name | ${claim('disk')} | ${live('')}; ${disk('null')}
    whose volume is gone, and that has another | ${claim('disk')} | ${live('disk-2')}
    that is there with its volume | ${claim('disk')} | ${live('disk')}; ${disk('null')}
    that is bound to it | ${claim('disk')} | ${inPhase('Bound')}; ${disk('null')}
    that waits for it | ${claim('disk')} | ${inPhase('Pending')}; ${disk('null')}
    that has lost it | ${claim('disk')} | ${inPhase('Lost')}; ${disk('null')}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "whose volume is bound to what it was
        create: it is not there
        spec: {"volumeName":"disk"}
        volume: disk
        released: disk from old
        its volume disk is still there, with its data, and is bound again
      whose volume is reserved for it
        create: it is not there
        spec: {"volumeName":"disk"}
        volume: disk
      whose volume is free
        create: it is not there
        spec: {"volumeName":"disk"}
        volume: disk
      whose volume is taken
        create: it is not there
        spec: {}
        volume: disk
        its volume disk is used by PersistentVolumeClaim taker in namespace shop: the claim gets another volume, without its data
      whose volume is used elsewhere
        create: it is not there
        spec: {}
        volume: disk
        its volume disk is used by PersistentVolumeClaim data in namespace bank: the claim gets another volume, without its data
      whose volume is going
        create: it is not there
        spec: {}
        volume: disk
        its volume disk is being deleted: the claim gets another volume, without its data
      whose volume is gone
        create: it is not there
        spec: {}
        its volume disk was deleted with its data: the claim gets a new, empty volume
      whose volume cannot be looked up
        create: it is not there
        spec: {"volumeName":"disk"}
        volume: disk
        whether its volume disk is still there is unknown: it is forbidden
      that had no volume
        create: it is not there
        spec: {}
      that had none by an empty name
        create: it is not there
        spec: {"volumeName":""}
      that was never deleted
        exists: it is still there
      that is there with another volume
        cannot: it is there, but with the volume disk-2, while the data is in its saved volume disk
      that is there without one
        cannot: it is there, but without a volume, while the data is in its saved volume disk
      that is there with an empty name
        cannot: it is there, but without a volume, while the data is in its saved volume disk
      whose volume is gone, and that has another
        exists: it already exists, with the same content
      that is there with its volume
        exists: it already exists, with the same content
        volume: disk
      that is bound to it
        exists: it already exists, with the same content
      that waits for it
        exists: it already exists, with the same content
        volume: disk
      that has lost it
        exists: it already exists, with the same content
        volume: disk"
    `);
  });

  test('whose volume was deleted is provisioned on the node of its pod', () => {
    const annotations = { 'volume.kubernetes.io/selected-node': 'n1', note: 'kept' };
    const spec = { volumeName: 'disk' };
    const [planned] = plan([
      saved(kube('v1 PersistentVolumeClaim data', { annotations }, { spec })),
    ]);
    expect(planned?.manifest?.metadata.annotations).toEqual({ note: 'kept' });
  });
});

describe('a volume', () => {
  const retained = `v1 PersistentVolume disk {spec: {persistentVolumeReclaimPolicy: Retain, claimRef: ${bound}}}`;
  const deleted = retained.replace('Retain', 'Delete');
  test('is released from the deleted claim', () => {
    expect(
      outcomesOf(
        inFull,
        `
    whose claim names it | ${retained} | ${claim('disk')}
    whose claim uses another one | ${retained} | ${claim('disk-2')}
    whose claim is gone | ${disk(bound)}
    whose claim has none yet | ${disk(mine)} | ${claim(undefined)}
    whose claim has an empty name | ${disk(mine)} | ${claim('')}
    whose claim cannot be looked up | ${retained} | | {forbidden: [v1 PersistentVolumeClaim data]}
    whose storage is lost if its claim is | ${deleted} | | {forbidden: [v1 PersistentVolumeClaim data]}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "whose claim names it
        create: it is not there
        spec: {"persistentVolumeReclaimPolicy":"Retain","claimRef":{"namespace":"shop","name":"data"}}
      whose claim uses another one
        cannot: PersistentVolumeClaim data in namespace shop uses the volume disk-2 now
      whose claim is gone
        create: it is not there
        spec: {"claimRef":{"namespace":"shop","name":"data"}}
      whose claim has none yet
        create: it is not there
        spec: {"claimRef":{"namespace":"shop","name":"data"}}
      whose claim has an empty name
        create: it is not there
        spec: {"claimRef":{"namespace":"shop","name":"data"}}
      whose claim cannot be looked up
        cannot: it is unknown whether PersistentVolumeClaim data in namespace shop is there: it is forbidden
      whose storage is lost if its claim is
        cannot: it is unknown whether PersistentVolumeClaim data in namespace shop is there: it is forbidden"
    `);
  });
});

const robot = 'metadata: {annotations: {kubernetes.io/service-account.name: robot}}';
const token = 'type: kubernetes.io/service-account-token';
const odd = [
  `v1 ConfigMap odd {${robot}, ${token}, spec: {volumeName: disk, claimRef: ${mine}}}`,
  `v1 Secret plain {${robot}, type: Opaque}`,
  disk('null'),
  'v1 ServiceAccount robot',
];
casesOfRestorations(
  told,
  `
  other kinds have no volumes, claims or accounts, whatever their fields are called
      | ${odd.join('; ')} | ${claim('disk-2')} |
      | 0 serviceaccounts/robot create | 1 persistentvolumes/disk create | 2 configmaps/odd create | 2 secrets/plain create
  `,
);

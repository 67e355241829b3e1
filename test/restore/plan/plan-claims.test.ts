import { describe, expect, test } from 'vitest';
import type { PlannedRestoration } from '../../../src/restore/plan/restoration.ts';
import { casesOfRestorations, kube, plan, saved, told } from '../saved.ts';

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
const created = 'create: it is not there';
const reserved = 'spec: {"claimRef":{"namespace":"shop","name":"data"}}';

describe('a claim', () => {
  const named = `${created} | spec: {"volumeName":"disk"} | volume: disk`;
  const blank = `${created} | spec: {}`;
  const another = 'the claim gets another volume, without its data';
  const going = ', metadata: {deletionTimestamp: 2026-01-31T12:00:00Z}';
  const live = (volumeName: string | undefined) => claim(volumeName, ', metadata: {uid: new}');
  const inPhase = (phase: string) =>
    claim('disk', `, metadata: {uid: new}, status: {phase: ${phase}}`);
  const lost = (what: string) =>
    `cannot: it is there, but ${what}, while the data is in its saved volume disk`;
  const same = 'exists: it already exists, with the same content';
  casesOfRestorations(
    inFull,
    `
    whose volume is bound to what it was | ${claim('disk')} | ${disk(bound)} | | ${named} | released: disk from old
        | its volume disk is still there, with its data, and is bound again
    whose volume is reserved for it  | ${claim('disk')} | ${disk(mine)} | | ${named}
    whose volume is free             | ${claim('disk')} | ${disk('null')} | | ${named}
    whose volume is taken            | ${claim('disk')} | ${disk('{namespace: shop, name: taker, uid: x}')} | | ${blank}
        | volume: disk | its volume disk is used by PersistentVolumeClaim taker in namespace shop: ${another}
    whose volume is used elsewhere   | ${claim('disk')} | ${disk('{namespace: bank, name: data, uid: x}')} | | ${blank}
        | volume: disk | its volume disk is used by PersistentVolumeClaim data in namespace bank: ${another}
    whose volume is going            | ${claim('disk')} | ${disk(mine, going)} | | ${blank}
        | volume: disk | its volume disk is being deleted: ${another}
    whose volume is gone             | ${claim('disk')} | | | ${blank}
        | its volume disk is gone: the claim gets a new, empty volume, and the data is gone
    whose volume cannot be looked up | ${claim('disk')} | | {forbidden: [v1 PersistentVolume disk]} | ${named}
        | whether its volume disk is still there is unknown: it is forbidden
    that had no volume               | ${claim(undefined)} | | | ${blank}
    that had none by an empty name   | ${claim('')} | | | ${created} | spec: {"volumeName":""}
    that was never deleted           | ${claim('disk')} | ${claim('disk-2', ', status: {phase: Pending}')}; ${disk('null')} |
        | exists: it is still there
    that is there with another volume | ${claim('disk')} | ${live('disk-2')}; ${disk('null')} |
        | ${lost('with the volume disk-2')}
    that is there without one        | ${claim('disk')} | ${live(undefined)}; ${disk('null')} | | ${lost('without a volume')}
    that is there with an empty name | ${claim('disk')} | ${live('')}; ${disk('null')} | | ${lost('without a volume')}
    whose volume is gone, and that has another | ${claim('disk')} | ${live('disk-2')} | | ${same}
    that is there with its volume    | ${claim('disk')} | ${live('disk')}; ${disk('null')} | | ${same} | volume: disk
    that is bound to it              | ${claim('disk')} | ${inPhase('Bound')}; ${disk('null')} | | ${same}
    that waits for it                | ${claim('disk')} | ${inPhase('Pending')}; ${disk('null')} | | ${same} | volume: disk
    that has lost it                 | ${claim('disk')} | ${inPhase('Lost')}; ${disk('null')} | | ${same} | volume: disk
    `,
  );

  test('whose volume is gone is provisioned for where its pod will be', () => {
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
  casesOfRestorations(
    inFull,
    `
    whose claim names it            | ${retained} | ${claim('disk')} | | ${created}
        | spec: {"persistentVolumeReclaimPolicy":"Retain","claimRef":{"namespace":"shop","name":"data"}}
    whose claim uses another one    | ${retained} | ${claim('disk-2')} |
        | cannot: PersistentVolumeClaim data in namespace shop uses the volume disk-2 now
    whose claim is gone             | ${disk(bound)} | | | ${created} | ${reserved}
    whose claim has none yet        | ${disk(mine)} | ${claim(undefined)} | | ${created} | ${reserved}
    whose claim has an empty name   | ${disk(mine)} | ${claim('')} | | ${created} | ${reserved}
    `,
  );
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
      | 0 configmaps/odd create | 0 persistentvolumes/disk create | 0 secrets/plain create | 0 serviceaccounts/robot create
  `,
);

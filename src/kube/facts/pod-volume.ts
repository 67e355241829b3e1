import { at, list, object, presence, text, within } from './shape.ts';

/** A volume of a pod that is a claim or holds a Secret; those of other sources are left out. */
export interface PodVolume {
  readonly name: string;
  /** The PersistentVolumeClaim that it mounts. */
  readonly claimName?: string;
  /** Generic ephemeral: its claim is named `<pod>-<volume>` (EPH-1). */
  readonly ephemeral?: boolean;
  /** The Secret that it holds. */
  readonly secretName?: string;
  /** Secrets among the sources of a projected volume. */
  readonly projectedSecrets?: readonly string[];
  /** The Secrets that the drivers of other sources read. */
  readonly azureFileSecret?: string;
  readonly cephfsSecret?: string;
  readonly cinderSecret?: string;
  readonly csiSecret?: string;
  readonly flexVolumeSecret?: string;
  readonly iscsiSecret?: string;
  readonly rbdSecret?: string;
  readonly scaleIOSecret?: string;
  readonly storageosSecret?: string;
}

export const podVolumes = list(
  object<PodVolume>(
    {
      name: at('name', '1', text, ''),
      claimName: at('persistentVolumeClaim.claimName', '2.10.1', text),
      ephemeral: at('ephemeral', '2.29', presence),
      secretName: at('secret.secretName', '2.6.1', text),
      projectedSecrets: at(
        'projected.sources',
        '2.26.1',
        list(within('secret.name', '1.1.1', text)),
      ),
      azureFileSecret: at('azureFile.secretName', '2.18.1', text),
      cephfsSecret: at('cephfs.secretRef.name', '2.14.5.1', text),
      cinderSecret: at('cinder.secretRef.name', '2.13.4.1', text),
      csiSecret: at('csi.nodePublishSecretRef.name', '2.28.5.1', text),
      flexVolumeSecret: at('flexVolume.secretRef.name', '2.12.3.1', text),
      iscsiSecret: at('iscsi.secretRef.name', '2.8.10.1', text),
      rbdSecret: at('rbd.secretRef.name', '2.11.7.1', text),
      scaleIOSecret: at('scaleIO.secretRef.name', '2.25.3.1', text),
      storageosSecret: at('storageos.secretRef.name', '2.27.5.1', text),
    },
    (volume) => Object.keys(volume).length > 1,
  ),
);

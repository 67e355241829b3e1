import { at, object, presence, text } from './shape.ts';

/** What backs a PersistentVolume: one of these is set. */
export interface VolumeSource {
  /** The driver's name. */
  readonly csi?: string;
  /** The path on the node. */
  readonly hostPath?: string;
  readonly awsElasticBlockStore?: boolean;
  readonly azureDisk?: boolean;
  readonly azureFile?: boolean;
  readonly cephfs?: boolean;
  readonly cinder?: boolean;
  readonly fc?: boolean;
  readonly flexVolume?: boolean;
  readonly flocker?: boolean;
  readonly gcePersistentDisk?: boolean;
  readonly glusterfs?: boolean;
  readonly iscsi?: boolean;
  readonly local?: boolean;
  readonly nfs?: boolean;
  readonly photonPersistentDisk?: boolean;
  readonly portworxVolume?: boolean;
  readonly quobyte?: boolean;
  readonly rbd?: boolean;
  readonly scaleIO?: boolean;
  readonly storageos?: boolean;
  readonly vsphereVolume?: boolean;
}

export const volumeSource = object<VolumeSource>(
  {
    csi: at('csi.driver', '22.1', text),
    hostPath: at('hostPath.path', '3.1', text),
    awsElasticBlockStore: at('awsElasticBlockStore', '2', presence),
    azureDisk: at('azureDisk', '16', presence),
    azureFile: at('azureFile', '13', presence),
    cephfs: at('cephfs', '9', presence),
    cinder: at('cinder', '8', presence),
    fc: at('fc', '10', presence),
    flexVolume: at('flexVolume', '12', presence),
    flocker: at('flocker', '11', presence),
    gcePersistentDisk: at('gcePersistentDisk', '1', presence),
    glusterfs: at('glusterfs', '4', presence),
    iscsi: at('iscsi', '7', presence),
    local: at('local', '20', presence),
    nfs: at('nfs', '5', presence),
    photonPersistentDisk: at('photonPersistentDisk', '17', presence),
    portworxVolume: at('portworxVolume', '18', presence),
    quobyte: at('quobyte', '15', presence),
    rbd: at('rbd', '6', presence),
    scaleIO: at('scaleIO', '19', presence),
    storageos: at('storageos', '21', presence),
    vsphereVolume: at('vsphereVolume', '14', presence),
  },
  (source) => Object.keys(source).length > 0,
);

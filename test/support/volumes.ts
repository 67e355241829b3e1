const accessModes = ['ReadWriteOnce'];
const storageClassName = '';

/** The spec of a claim that only a volume made for it can have. */
export const claimSpec = {
  accessModes,
  storageClassName,
  resources: { requests: { storage: '1Gi' } },
};

/** The spec of a volume for such a claim. */
export const volumeSpec = (name: string, more: object = {}) => ({
  accessModes,
  storageClassName,
  capacity: { storage: '1Gi' },
  persistentVolumeReclaimPolicy: 'Retain',
  hostPath: { path: `/tmp/${name}` },
  ...more,
});

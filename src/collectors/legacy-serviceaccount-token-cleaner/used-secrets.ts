import type { PodVolume } from '../../kube/facts/pod-volume.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { type NotRead, notRead, volumesOf } from '../../kube/pod-use.ts';

/** The names of all Secrets that a pod refers to, in every place where one can. */
export function usedSecrets(pod: ObjectRecord): ReadonlySet<string> | NotRead {
  const volumes = volumesOf(pod);
  if (volumes === notRead) return notRead;
  const {
    containers = [],
    initContainers = [],
    ephemeralContainers = [],
    imagePullSecrets = [],
  } = pod.facts ?? {};
  const ofContainers = [...containers, ...initContainers, ...ephemeralContainers].flatMap(
    ({ env = [], envFrom = [] }) => [...env, ...envFrom],
  );
  const ofVolumes = volumes.flatMap(secretsOf);
  return new Set([...imagePullSecrets, ...ofContainers, ...ofVolumes]);
}

function secretsOf(volume: PodVolume): string[] {
  const names = [
    volume.secretName,
    volume.azureFileSecret,
    volume.cephfsSecret,
    volume.cinderSecret,
    volume.csiSecret,
    volume.flexVolumeSecret,
    volume.iscsiSecret,
    volume.rbdSecret,
    volume.scaleIOSecret,
    volume.storageosSecret,
    ...(volume.projectedSecrets ?? []),
  ];
  return names.filter((name) => name !== undefined);
}

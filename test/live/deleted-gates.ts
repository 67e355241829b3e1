import { playedMinor } from '../support/played-minor.ts';

/** PodCertificateRequests need a feature gate, and are served in this version since v1.35. */
export const podRequestGate =
  playedMinor >= 35 ? ['--feature-gates=PodCertificateRequest=true'] : [];
export const podRequestVersion = `certificates.k8s.io/${playedMinor >= 37 ? 'v1' : 'v1beta1'}`;
export const podRequestApi = podRequestGate.flatMap((gate) => [
  gate,
  `--runtime-config=${podRequestVersion}=true`,
]);

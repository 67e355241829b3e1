import { wantedVersion } from '../../scripts/control-plane.mjs';
import { minorOf } from '../../src/settings/setting-definition.ts';

/** The minor version of the control plane that live tests run against. */
export const playedMinor = minorOf(wantedVersion()) ?? 0;

/**
 * Is the first pass of a cleaner to be relied on, with `--controller-start-interval`? Up to v1.34 the caches begin to
 * fill only when the last controller was started. Then the cleaners of requests see nothing in it (CSR-2), and that of
 * tokens meets Secrets that the token controller is just filling. The next pass is an hour or a day later.
 */
export const hasUsefulFirstPass = playedMinor >= 35;

/** Of PodGroups: what its kube-controller-manager watches. */
export const podGroupVersion = playedMinor >= 37 ? 'v1beta1' : 'v1alpha2';

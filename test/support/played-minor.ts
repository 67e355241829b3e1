import { wantedVersion } from '../../scripts/control-plane.mjs';
import { minorOf } from '../../src/controllers/settings/setting-definition.ts';

/** The minor version of the control plane that live tests run against. */
export const playedMinor = minorOf(wantedVersion()) ?? 0;

/**
 * Do the cleaners of requests see something in their first pass, with `--controller-start-interval`? Up to v1.34 the
 * caches begin to fill only when the last controller was started, and their next pass is an hour later (CSR-2).
 */
export const seesInFirstPass = playedMinor >= 35;

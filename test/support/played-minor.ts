import { wantedVersion } from '../../scripts/control-plane.mjs';
import { minorOf } from '../../src/controllers/settings/setting-definition.ts';

/** The minor version of the control plane that live tests run against. */
export const playedMinor = minorOf(wantedVersion()) ?? 0;

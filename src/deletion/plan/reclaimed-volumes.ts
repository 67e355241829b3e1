import type { ObjectRecord } from '../../kube/object-record.ts';
import { isNotFound, reclaimerOf } from '../../programs/driver-programs.ts';
import {
  lifeInWords,
  type ProgramLife,
  type ProgramsSeen,
  programLives,
} from '../../programs/program-life.ts';
import type { Verdict } from './fates.ts';

/**
 * The verdict on a released volume, by its provisioner: only where that may run, the volume is likely deleted. One that was not
 * found may run outside of the cluster.
 */
export function reclaimedBy(
  seen: ProgramsSeen,
): (volume: ObjectRecord, verdict: Verdict) => Verdict {
  const lifeOf = programLives(seen);
  const lives = new Map<string, ProgramLife>();
  return (volume, verdict) => {
    const provisioner = verdict.likely && reclaimerOf(volume);
    if (!provisioner) return verdict;
    const { title } = provisioner;
    const life = lives.get(title) ?? lifeOf(provisioner)('');
    lives.set(title, life);
    if (life.state !== 'down' && !isNotFound(life)) return verdict;
    const { likely: _, ...rest } = verdict;
    return { ...rest, fate: 'unknown', because: `${lifeInWords(title, life)}; ${rest.because}` };
  };
}

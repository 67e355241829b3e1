import { knownNodeOf } from '../../kube/pod-use.ts';
import type { Decision } from '../collector.ts';
import { comingTaint } from './node-health.ts';
import { stayUnder } from './tolerations.ts';

/**
 * Evictions of which the Node is about to get one more taint: they may come sooner, where the pod tolerates
 * that one for less. `health` are the Nodes that get a taint, or are found silent and get it then.
 */
export function hasten(
  evictions: readonly Decision[],
  health: readonly Decision[],
): readonly Decision[] {
  const comingTo = Map.groupBy(health, ({ object }) => object.name);
  return evictions.map((eviction) =>
    (comingTo.get(knownNodeOf(eviction.object) ?? '') ?? []).reduce(hastened, eviction),
  );
}

function hastened(eviction: Decision, coming: Decision): Decision {
  const taint = comingTaint(coming);
  const stay = stayUnder([taint], eviction.object.facts?.tolerations ?? []);
  const sooner = coming.notBefore + stay;
  if (sooner >= eviction.notBefore) return eviction;
  const because = `${eviction.because}; or sooner, once the Node gets the taint ${taint.key}`;
  return { ...eviction, notBefore: sooner, confidence: 'likely', because };
}

import { Gate } from '../../cluster/pacing.ts';
import { jsonOf } from '../../kube/json-value.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { objectPath } from '../../kube/resource-type.ts';
import { wrongVolume } from '../plan/bring-back-volume.ts';
import type { PlannedRestoration } from '../plan/planned-restoration.ts';
import type { RestoreTarget } from './restore-target.ts';

/**
 * Removes the uid of a claim that is gone from a PersistentVolume, and keeps that reserved for the
 * claim of that name. Returns why it could not, or undefined.
 */
export async function releaseVolume(
  target: RestoreTarget,
  volume: ObjectLocation,
  claimUid: string,
): Promise<string | undefined> {
  const live = await target.look(volume);
  if (typeof live === 'string') return live;
  const { uid } = jsonOf(jsonOf(live.spec)?.claimRef) ?? {};
  if (uid === undefined) return undefined;
  if (uid !== claimUid) return `the volume ${volume.name} is used by another claim now`;
  const path = '/spec/claimRef/uid';
  const body = [
    { op: 'test', path, value: uid },
    { op: 'remove', path },
  ];
  const at = objectPath(volume.type, '', volume.name);
  const write = { verb: 'patch', patchType: 'json', path: at, body } as const;
  const { outcome, message } = await target.send(write);
  return outcome === 'done' ? undefined : message;
}

const atOnce = 8;
const bindingTries = 60;

/**
 * Waits until claims are bound to the volumes that they must have, half a minute at most. Returns
 * what is wrong with the others, by key.
 */
export async function volumeFaults(
  restored: readonly PlannedRestoration[],
  target: RestoreTarget,
): Promise<ReadonlyMap<string, string>> {
  const claims = restored.filter(({ volume }) => volume !== undefined);
  const looks = new Gate(atOnce);
  const faults = claims.map(async (planned): Promise<[string, string][]> => {
    const look = () => looks.run(() => stateOfClaim(planned, target));
    const { fault } = await target.until(bindingTries, look, ({ isPending }) => !isPending);
    return fault === undefined ? [] : [[locationKey(planned.saved), fault]];
  });
  return new Map((await Promise.all(faults)).flat());
}

async function stateOfClaim(
  { saved, volume = '' }: PlannedRestoration,
  target: RestoreTarget,
): Promise<{ readonly fault?: string; readonly isPending?: boolean }> {
  const live = await target.look(saved);
  if (typeof live === 'string') return { fault: live };
  const name = jsonOf(live.spec)?.volumeName;
  if (name !== volume) return { fault: `it is there, but ${wrongVolume(name, volume)}` };
  const phase = jsonOf(live.status)?.phase;
  if (phase === 'Bound') return {};
  const fault = `it is not bound to its volume ${volume}: it is ${phase ?? 'without a phase'}`;
  return { fault, isPending: phase !== 'Lost' };
}

import {
  mismatches,
  type RecordedCase,
  type Recording,
  simulateCase,
} from '../simulator/recorded-case.ts';

/**
 * The objects that a mismatch needs: those whose removal, with what the recording says of them, makes
 * it vanish. Removing an object may also change what really happens, so the rest is where to look
 * first, not a proof.
 */
export function shrink(recording: Omit<Recording, 'cases'>, one: RecordedCase): string[] {
  let smaller = one;
  for (const { metadata } of one.objects) {
    const without = removed(smaller, String(metadata.uid));
    if (mismatches(without, simulateCase(recording, without)).length > 0) smaller = without;
  }
  return smaller.objects.map(({ kind, metadata }) => `${kind} ${String(metadata.name)}`);
}

function removed(one: RecordedCase, uid: string): RecordedCase {
  return {
    ...one,
    objects: one.objects.filter(({ metadata }) => metadata.uid !== uid),
    final: one.final.filter((object) => object.uid !== uid),
    ...(one.otherFinal && { otherFinal: one.otherFinal.filter((object) => object.uid !== uid) }),
    events: one.events.filter((event) => event.uid !== uid),
    eventsAlways: one.eventsAlways.filter((event) => event.uid !== uid),
  };
}

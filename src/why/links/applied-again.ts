import { appliedBy, inventoryOf, placesOf } from '../../delivery/tools.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { asRecord } from '../../kube/record-codec.ts';
import { type Evidence, evidenceOf, type Inquiry } from '../inquiry.ts';

/** The delivery tool that applied an object, and whether it does so again when the object is deleted. */
export function appliedAgain(
  inquiry: Inquiry,
  record: ObjectRecord,
): { readonly because: string; readonly evidence: readonly Evidence[] } | undefined {
  const applied = appliedBy(record);
  if (!applied) return undefined;
  const because = `; ${applied.who} applied it`;
  const [place] = applied.by ? placesOf(applied.by, inquiry.types) : [];
  if (!place) return { because, evidence: [] };
  const reading = inquiry.ask({ ask: 'object', ...place });
  const tool =
    reading.state === 'read' && reading.value ? asRecord(reading.value, place.type) : undefined;
  const evidence = evidenceOf(reading, () => (tool ? 'exists' : 'does not exist'));
  const inventory = tool && inventoryOf(tool);
  if (!inventory || inventory === 'unknown') return { because, evidence };
  const { again } = inventory;
  return {
    because:
      'when' in again
        ? `${because}, and makes it again ${again.when}`
        : `${because}, and may make it again: ${again.doubt}`,
    evidence,
  };
}

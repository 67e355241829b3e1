import type { Confidence } from '../../collectors/collector.ts';

/** Why a collector's decision is not carried out; undefined: it is certain, and due. */
export function whyNotNow(
  item: {
    readonly notBefore: string;
    readonly confidence: Confidence;
    readonly because: string;
  },
  now: number,
): string | undefined {
  if (Date.parse(item.notBefore) > now) return `not before ${item.notBefore}: ${item.because}`;
  return item.confidence === 'certain' ? undefined : `not certain: ${item.because}`;
}

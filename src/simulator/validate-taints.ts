import type { ObjectRecord } from '../kube/object-record.ts';
import { isLabelValue, isQualifiedName } from '../kube/qualified-name.ts';
import { noTaints, taintEffects } from '../kube/taint.ts';
import { isNode } from '../kube/well-known-kinds.ts';
import { invalid, refused } from './validate-metadata.ts';

/**
 * Why the API server refuses a Node's taints, in its words; undefined when it stores them. Mirrors
 * validateNodeTaints, which looks for them under metadata.
 */
export function validateTaints(record: ObjectRecord): string | undefined {
  if (!isNode(record)) return undefined;
  const seen = new Set<string>();
  for (const [index, taint] of (record.facts?.taints ?? noTaints).entries()) {
    const { key, value = '', effect, timeAdded = null } = taint;
    const field = `taints[${index}]`;
    if (!isQualifiedName(key)) return invalid(record, `${field}.key`, 'is not a label key', key);
    if (!isLabelValue(value)) {
      return invalid(record, `${field}.value`, 'is not a label value', value);
    }
    if (effect === '') return refused(record, `${field}.effect: Required value`);
    if (!taintEffects.includes(effect)) {
      const supported = taintEffects.map((known) => JSON.stringify(known)).join(', ');
      const why = `Unsupported value: ${JSON.stringify(effect)}: supported values: ${supported}`;
      return refused(record, `${field}.effect: ${why}`);
    }
    const pair = `${key}:${effect}`;
    if (seen.has(pair)) {
      const given = JSON.stringify({
        Key: key,
        Value: value,
        Effect: effect,
        TimeAdded: timeAdded,
      });
      const why = 'taints must be unique by key and effect pair';
      return refused(record, `${field}: Duplicate value: ${given}: ${why}`);
    }
    seen.add(pair);
  }
  return undefined;
}

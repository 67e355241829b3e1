import type { ObjectRecord } from '../kube/object-record.ts';
import { labelValueFaults, qualifiedNameFaults } from '../kube/qualified-name.ts';
import { noTaints, taintEffects } from '../kube/taint.ts';
import { isNode } from '../kube/well-known-kinds.ts';
import { invalid } from './validate-metadata.ts';

/**
 * Faults for which the API server refuses a Node's taints, in its words. Mirrors validateNodeTaints,
 * which looks for them under metadata.
 */
export function validateTaints(record: ObjectRecord): string[] {
  if (!isNode(record)) return [];
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const [index, taint] of (record.facts?.taints ?? noTaints).entries()) {
    const { key, value = '', effect, timeAdded = null } = taint;
    const field = `taints[${index}]`;
    for (const why of qualifiedNameFaults(key)) faults.push(invalid(`${field}.key`, why, key));
    const why = labelValueFaults(value).join(';');
    if (why !== '') faults.push(invalid(`${field}.value`, why, value));
    if (effect === '') faults.push(`metadata.${field}.effect: Required value`);
    else if (!taintEffects.includes(effect)) {
      const supported = taintEffects.map((known) => JSON.stringify(known)).join(', ');
      const unsupported = `Unsupported value: ${JSON.stringify(effect)}: supported values: ${supported}`;
      faults.push(`metadata.${field}.effect: ${unsupported}`);
    }
    const pair = `${key}:${effect}`;
    if (seen.has(pair)) {
      const given = { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded };
      const unique = 'taints must be unique by key and effect pair';
      faults.push(`metadata.${field}: Duplicate value: ${JSON.stringify(given)}: ${unique}`);
    }
    seen.add(pair);
  }
  return faults;
}

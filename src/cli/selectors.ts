import { parseFieldSelector } from '../kube/field-selector.ts';
import { parseLabelSelector } from '../kube/label-selector.ts';
import type { ObjectRecord } from '../kube/object-record.ts';

/** `-l` and `--field-selector` as they were given. */
export interface Selectors {
  readonly selector?: string | undefined;
  readonly 'field-selector'?: string | undefined;
}

export function hasSelector(selectors: Selectors): boolean {
  return selectors.selector !== undefined || selectors['field-selector'] !== undefined;
}

/** Does an object pass both? */
export function selectorsOf(selectors: Selectors): (record: ObjectRecord) => boolean {
  const byLabels = parseLabelSelector(selectors.selector ?? '');
  const byFields = parseFieldSelector(selectors['field-selector'] ?? '');
  return (record) => byLabels(record.labels) && byFields(record);
}

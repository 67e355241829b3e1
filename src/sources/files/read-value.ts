import { type Json, jsonOf, textOf } from '../../snapshot/json-value.ts';
import { ListAssembler } from './list-assembler.ts';
import type { ObjectCollector } from './object-collector.ts';

/** Lists inside of lists, deeper than anybody nests them. */
const deepest = 16;

/** One parsed document: an object, a list of any sort, or lists in lists. */
export function readValue(
  collector: ObjectCollector,
  value: unknown,
  line: number,
  depth = 0,
  elementLines: readonly number[] = [],
): void {
  if (depth > deepest) {
    collector.problem('not-an-object', 'lists that are nested too deeply', line);
    return;
  }
  if (Array.isArray(value)) {
    for (const entry of value) readValue(collector, entry, line, depth + 1);
    return;
  }
  const json = jsonOf(value);
  const elements = json && elementsOf(json);
  if (!json || !elements) {
    collector.add(value, line, false);
    return;
  }
  const list = new ListAssembler(collector, json, line, (nested, at) =>
    readValue(collector, nested, at, depth + 1),
  );
  for (const [index, element] of elements.entries()) {
    list.add(element, elementLines[index] ?? line, () => element);
  }
  list.end(json);
}

/** As Kubernetes has it, whatever has `items` is a list. */
function elementsOf(json: Json): readonly unknown[] | undefined {
  if (Array.isArray(json.items)) return json.items;
  const kind = textOf(json.kind) ?? '';
  if (json.apiVersion === 'kubectl-gc/v1' && (kind === 'Snapshot' || kind === 'Simulation')) {
    return Array.isArray(json.objects) ? json.objects : undefined;
  }
  const isEmptyList = kind.endsWith('List') && jsonOf(json.metadata)?.name === undefined;
  return isEmptyList && (json.items ?? null) === null && json.apiVersion ? [] : undefined;
}

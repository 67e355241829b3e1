import { type Json, jsonOf, textOf } from '../kube/json-value.ts';
import { isSavedSnapshot, refusalOfVersion } from '../snapshot/saved-snapshot.ts';
import { ListAssembler } from './list-assembler.ts';
import type { ObjectReader } from './object-reader.ts';

const rewritten =
  'a saved snapshot that another program has rewritten, so that its checksum does not hold: use the file as it was saved';

/** Lists inside lists, deeper than any tool nests them. */
const deepest = 16;

/** One parsed document: an object, a list of any sort, or lists in lists. */
export function readValue(
  objects: ObjectReader,
  value: unknown,
  line: number,
  depth = 0,
  elementLines: readonly number[] = [],
): void {
  if (depth > deepest) {
    objects.problem('not-an-object', 'lists that are nested too deeply', line);
    return;
  }
  if (Array.isArray(value)) {
    for (const entry of value) readValue(objects, entry, line, depth + 1);
    return;
  }
  const json = jsonOf(value);
  const elements = json && elementsOf(json);
  if (json && isSavedSnapshot(json)) {
    const message = refusalOfVersion(textOf(json.apiVersion) ?? '') ?? rewritten;
    objects.problem('unreadable', message, line);
    objects.contents.lost.addAnything();
    return;
  }
  if (!json || !elements) {
    objects.add(value, line);
    return;
  }
  const list = new ListAssembler(objects, json, line, (nested, at) =>
    readValue(objects, nested, at, depth + 1),
  );
  for (const [index, element] of elements.entries()) {
    list.add(element, elementLines[index] ?? line, () => element);
  }
  list.end({ ...json, items: undefined });
}

/** As Kubernetes has it, whatever has `items` is a list. */
function elementsOf(json: Json): readonly unknown[] | undefined {
  if (Array.isArray(json.items)) return json.items;
  const kind = textOf(json.kind) ?? '';
  if (json.apiVersion === 'kubectl-gc/v1' && kind === 'Simulation') {
    return Array.isArray(json.objects) ? json.objects : undefined;
  }
  const isEmptyList = kind.endsWith('List') && jsonOf(json.metadata)?.name === undefined;
  return isEmptyList && (json.items ?? null) === null && json.apiVersion ? [] : undefined;
}

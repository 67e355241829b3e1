import { type Fields, fieldsOf, listOf, numberOf, textOf, textsOf } from './json-fields.ts';
import type { NodeStatus } from './node-pieces.ts';

/** What a Node object tells of its images: no ids, no pins, and not all of them. */
export function readNode(object: Fields): NodeStatus {
  return {
    name: textOf(fieldsOf(object.metadata).name),
    images: listOf(fieldsOf(object.status).images).map(({ names, sizeBytes }) => ({
      id: undefined,
      names: tagsFirst(textsOf(names)),
      size: numberOf(sizeBytes) ?? 0,
      pinned: undefined,
    })),
  };
}

function tagsFirst(names: readonly string[]): string[] {
  const isDigest = (name: string) => name.includes('@');
  return [...names.filter((name) => !isDigest(name)), ...names.filter(isDigest)];
}

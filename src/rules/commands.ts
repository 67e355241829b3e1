import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf, printedKindOf } from '../kube/resource-type.ts';

/** `-n shop`, with a space before it; empty for cluster-scoped objects. */
export function inNamespace({ namespace }: Pick<ObjectRecord, 'namespace'>): string {
  return namespace === '' ? '' : ` -n ${quoted(namespace)}`;
}

/** `pod/web-1 -n shop`: how a command names an object. */
export function addressOf(record: ObjectRecord): string {
  return `${quoted(`${printedKindOf(record.type)}/${record.name}`)}${inNamespace(record)}`;
}

/** A word for a POSIX shell: names come from clusters and files, so nothing in them may act. */
export function quoted(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Shows what is wrong with an object's references, and offers to put it right. */
export function fixReferencesOf(record: ObjectRecord): string {
  const kind = quoted(groupResourceOf(record.type));
  const where = record.namespace === '' ? ' -A' : inNamespace(record);
  const name = quoted(`metadata.name=${record.name}`);
  return `kubectl gc invalid-ownerrefs ${kind}${where} --field-selector ${name} --fix`;
}

/** Changes an object with a JSON patch, which tests what it relies on. */
export function patchOf(
  record: ObjectRecord,
  patch: readonly Readonly<Record<string, unknown>>[],
): string {
  return `kubectl patch ${addressOf(record)} --type=json -p ${quoted(JSON.stringify(patch))}`;
}

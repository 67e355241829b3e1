import type { ObjectRecord } from '../kube/object-record.ts';
import { printedKindOf } from '../kube/resource-type.ts';

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

import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { addressOf, inNamespace, shellCommand } from '../../kube/shell-command.ts';

/** The command that shows what is wrong with an object's references, and offers a fix. */
export function fixReferencesCommandOf(record: ObjectRecord): string {
  const kind = groupResourceOf(record.type);
  const where = record.namespace === '' ? ['-A'] : inNamespace(record);
  const name = `metadata.name=${record.name}`;
  return shellCommand`kubectl gc invalid-ownerrefs ${kind} ${where} --field-selector ${name} --fix`;
}

/** Changes an object with a JSON patch, which tests what it relies on. */
export function patchCommandOf(
  record: ObjectRecord,
  patch: readonly Readonly<Record<string, unknown>>[],
): string {
  return shellCommand`kubectl patch ${addressOf(record)} --type=json -p ${JSON.stringify(patch)}`;
}

import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { inNamespace, type ShellCommand, shellCommand } from '../kube/shell-command.ts';

/** The command that shows what is wrong with an object's references, and what would put it right. */
export function invalidReferencesCommandOf(
  { type, namespace, name }: Pick<ObjectRecord, 'type' | 'namespace' | 'name'>,
  ...more: readonly string[]
): ShellCommand {
  const kind = groupResourceOf(type);
  const where = namespace === '' ? ['-A'] : inNamespace({ namespace });
  return shellCommand`kubectl gc invalid-ownerrefs ${kind} ${where} --field-selector ${`metadata.name=${name}`} ${more}`;
}

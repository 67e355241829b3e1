import { isBeingDeleted } from '../../../kube/object-record.ts';
import { operands, shellCommand } from '../../../kube/shell-command.ts';
import type { AuditRule, AuditViolation } from '../audit-rule.ts';

export const missingNamespace: AuditRule = {
  id: 'missing-namespace',
  title: 'A manifest whose namespace is not there',
  severity: 'error',
  consequence: 'cannot be applied',
  advice: 'Create the namespace first; the command of the finding does.',
  subjects: [],
  readsFacts: false,
  check: ({ graph: { at, coverage, snapshot }, cannotTell }) => {
    const namespaces = snapshot.types.find('v1', 'Namespace');
    if (!namespaces) return [];
    return snapshot.records.flatMap((object): AuditViolation[] => {
      const { namespace } = object;
      if (namespace === '') return [];
      const found = at(namespaces, '', namespace);
      const fix = {
        summary: 'create the namespace first',
        command: shellCommand`kubectl create namespace ${operands(namespace)}`,
      };
      if (!found && coverage.covers(namespaces, '', namespace)) {
        return [{ object, message: `there is no namespace ${namespace}`, fix }];
      }
      if (!found) {
        cannotTell(object, `the namespace ${namespace} could not be looked up`);
        return [];
      }
      if (!isBeingDeleted(found)) return [];
      const summary = 'wait until the namespace is gone, and create it again';
      const message = `the namespace ${namespace} is being deleted: nothing can be created in it`;
      return [{ object, message, fix: { summary }, related: [found] }];
    });
  },
};

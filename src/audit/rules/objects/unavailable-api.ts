import { shellCommand } from '../../../kube/shell-command.ts';
import { type AuditRule, objectNamed } from '../audit-rule.ts';

export const unavailableApi: AuditRule = {
  id: 'unavailable-api',
  title: 'An API that does not list what it serves',
  severity: 'error',
  consequence:
    'never collected while it is down: what it serves, and what names an owner there; namespaces do not end',
  advice:
    'Bring the server behind its Service back. If it was uninstalled for good, delete the APIService. kubectl gc why --gc shows what is missing.',
  subjects: ['apiservices.apiregistration.k8s.io'],
  readsFacts: false,
  check: ({ graph }) =>
    graph.snapshot.types.failed.map(({ group, version, message }) => {
      const name = version === undefined ? group : `${version}.${group}`;
      return {
        object: objectNamed(graph, 'apiservices.apiregistration.k8s.io', name),
        message: `the kinds of ${group}${version === undefined ? '' : `/${version}`} could not be discovered: ${message}`,
        fix: {
          summary:
            'bring the server behind its Service back; if it was uninstalled for good, delete the APIService',
          command: shellCommand`kubectl gc why --gc`,
        },
      };
    }),
};

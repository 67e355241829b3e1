import type { ObjectRecord } from '../../../kube/object-record.ts';
import { parseApiVersion } from '../../../kube/resource-type.ts';
import { shellCommand } from '../../../kube/shell-command.ts';
import type { CoverageProblem } from '../../../snapshot/coverage.ts';
import type { Graph } from '../../../snapshot/graph/graph.ts';
import { isConversionFailure } from '../../../why/links/refusal-links.ts';
import { type AuditRule, objectNamed } from '../audit-rule.ts';

const definitions = 'customresourcedefinitions.apiextensions.k8s.io';
const services = 'apiservices.apiregistration.k8s.io';

export const unlistableKind: AuditRule = {
  id: 'unlistable-kind',
  title: 'A kind that is served but cannot be listed',
  severity: 'error',
  consequence:
    'never collected: the garbage collector does not see objects of such a kind, and namespaces do not end',
  advice:
    'Bring the conversion webhook back, or find out why the list fails. kubectl gc why --gc shows what is missing.',
  subjects: [definitions, services],
  readsFacts: false,
  check: ({ graph }) => {
    const { coverage } = graph.snapshot;
    const broken = new Map<string, CoverageProblem>();
    for (const problem of coverage.problems) {
      // What the current user may not read says nothing about the garbage collector.
      if (problem.resource === undefined || problem.reason !== 'unavailable') continue;
      if (!broken.has(problem.resource)) broken.set(problem.resource, problem);
    }
    return [...broken].map(([resource, { message, apiVersion = '' }]) => {
      const isConverted = isConversionFailure(message);
      return {
        object: servedBy(graph, resource, apiVersion),
        message: `${resource}: ${message}`,
        confidence: isConverted ? ('certain' as const) : ('likely' as const),
        fix: {
          summary: isConverted
            ? 'bring the conversion webhook of its definition back'
            : 'find out why it cannot be listed',
          command: shellCommand`kubectl gc why --gc`,
        },
      };
    });
  },
};

/** What makes the API server serve a kind: its definition, or, where it has none, its APIService. */
function servedBy(graph: Graph, resource: string, apiVersion: string): ObjectRecord {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  const definition = objectNamed(graph, definitions, resource);
  const service = objectNamed(graph, services, `${version}.${group}`);
  return definition.uid === '' && service.uid !== '' ? service : definition;
}

import { apiVersionOf } from '../../../kube/resource-type.ts';
import type { AuditRule } from '../audit-rule.ts';

export const unservedKind: AuditRule = {
  id: 'unserved-kind',
  title: 'A manifest of a kind that the cluster does not serve',
  severity: 'error',
  consequence: 'cannot be applied',
  advice:
    'When another version of the kind is served, write the manifest in that one: the finding names it. Otherwise install first what defines the kind, or put its definition among the manifests.',
  subjects: [],
  readsFacts: false,
  check: ({ graph: { snapshot }, cannotTell }) =>
    snapshot.records.flatMap((object) => {
      const apiVersion = apiVersionOf(object.type);
      const { kind } = object.type;
      const mapping = snapshot.types.mapKind(apiVersion, kind);
      if (mapping.kind === 'unknown') cannotTell(object, mapping.because);
      if (mapping.kind !== 'unserved') return [];
      const [other] = mapping.otherVersions;
      return [
        {
          object,
          message: `no API serves ${apiVersion} ${kind}${other ? `, but ${apiVersionOf(other)} ${kind}` : ''}`,
          fix: {
            summary: other
              ? `write it as ${apiVersionOf(other)}`
              : 'install what defines the kind first, or add its CustomResourceDefinition to the manifests',
          },
        },
      ];
    }),
};

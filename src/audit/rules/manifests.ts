import { operands, shellCommand } from '../../command-line/shell-command.ts';
import { isBeingDeleted } from '../../kube/object-record.ts';
import { apiVersionOf } from '../../kube/resource-type.ts';
import { classifyReference } from '../../snapshot/graph/classify-reference.ts';
import type { Rule, Violation } from '../rule.ts';

export const unservedKind: Rule = {
  id: 'unserved-kind',
  title: 'A manifest of a kind that the cluster does not serve',
  severity: 'error',
  consequence: 'cannot be applied',
  advice:
    'When another version of the kind is served, write the manifest in that one: the finding names it. Otherwise install first what defines the kind, or put its definition among the manifests.',
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

export const missingNamespace: Rule = {
  id: 'missing-namespace',
  title: 'A manifest whose namespace is not there',
  severity: 'error',
  consequence: 'cannot be applied',
  advice: 'Create the namespace first; the command of the finding does.',
  check: ({ graph: { at, coverage, snapshot }, cannotTell }) => {
    const namespaces = snapshot.types.find('v1', 'Namespace');
    if (!namespaces) return [];
    return snapshot.records.flatMap((object): Violation[] => {
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
      const summary = 'wait until the namespace is deleted, then recreate it';
      const message = `the namespace ${namespace} is being deleted: nothing can be created in it`;
      return [{ object, message, fix: { summary }, related: [found] }];
    });
  },
};

/** No manifest can know the uid that an owner gets: the reference is to an object that existed once. */
export const hardCodedOwner: Rule = {
  id: 'hard-coded-owner',
  title: 'A manifest with the uid of an owner',
  severity: 'warning',
  consequence: 'may be deleted',
  advice:
    'Remove the reference from the manifest, and let the program that creates the owner set it.',
  check: ({ graph }) =>
    graph.snapshot.records
      .filter(({ uid }) => uid === '')
      .flatMap((object) =>
        object.ownerReferences
          .filter(
            (reference) =>
              // What is known to be wrong has a rule of its own.
              reference.uid !== '' &&
              classifyReference(graph, object, reference).class === 'unknown',
          )
          .map((reference): Violation => {
            const { kind, name } = reference;
            return {
              object,
              reference,
              message: `the uid of ${kind} ${name} is hard-coded; a recreated owner gets another one`,
              fix: {
                summary: 'remove the reference; a controller has to set it once the owner exists',
              },
              kubernetesRule: 'GC-28',
            };
          }),
      ),
};

import { isBeingDeleted } from '../../../kube/object-record.ts';
import { groupResourceOf } from '../../../kube/resource-type.ts';
import { classifyReference } from '../../../snapshot/graph/classify-reference.ts';
import { patchCommandOf } from '../../fixes.ts';
import type { AuditRule } from '../audit-rule.ts';

/** Whose controllers make which objects block them. */
const blocked: Readonly<Record<string, readonly string[]>> = {
  'replicasets.apps': ['deployments.apps'],
  pods: [
    'replicasets.apps',
    'statefulsets.apps',
    'daemonsets.apps',
    'jobs.batch',
    'replicationcontrollers',
  ],
  'controllerrevisions.apps': ['statefulsets.apps', 'daemonsets.apps'],
  'jobs.batch': ['cronjobs.batch'],
  'endpointslices.discovery.k8s.io': ['services'],
};

export const missingBlockOwnerDeletion: AuditRule = {
  id: 'missing-block-owner-deletion',
  title: 'A dependent for which a foreground deletion does not wait',
  severity: 'info',
  consequence: 'a foreground deletion of the owner ends while the object is still there',
  advice: 'Set blockOwnerDeletion: true in the reference: the command of the finding does.',
  subjects: Object.keys(blocked),
  readsFacts: false,
  check: ({ graph, of }) =>
    Object.entries(blocked).flatMap(([resource, owners]) =>
      of(resource).flatMap((record) => {
        if (isBeingDeleted(record)) return [];
        return record.ownerReferences.flatMap((reference, index) => {
          if (reference.controller !== true || reference.blockOwnerDeletion === true) return [];
          const { class: cls, found } = classifyReference(graph, record, reference);
          if (cls !== 'solid' || !found || !owners.includes(groupResourceOf(found.type))) return [];
          const path = `/metadata/ownerReferences/${index}`;
          return [
            {
              object: record,
              message: `its controller ${found.type.kind} ${found.name} makes what it creates block it, but blockOwnerDeletion is ${reference.blockOwnerDeletion === false ? 'false' : 'not set'} here`,
              related: [found],
              fix: {
                summary: 'set blockOwnerDeletion',
                command: patchCommandOf(record, [
                  { op: 'test', path: `${path}/uid`, value: reference.uid },
                  { op: 'add', path: `${path}/blockOwnerDeletion`, value: true },
                ]),
              },
            },
          ];
        });
      }),
    ),
};

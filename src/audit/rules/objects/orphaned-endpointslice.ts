import { managedBy, serviceName } from '../../../controllers/endpoints/endpointslice.ts';
import { isBeingDeleted } from '../../../kube/object-record.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import { type AuditRule, wasRead } from '../audit-rule.ts';

const ofServices = 'endpointslice-controller.k8s.io';
const mirrored = 'endpointslicemirroring-controller.k8s.io';

export const orphanedEndpointSlice: AuditRule = {
  id: 'orphaned-endpointslice',
  title: 'An EndpointSlice of a Service that is gone',
  severity: 'info',
  consequence:
    'never collected: it has no owner, and the endpointslice controller only works on Services that exist',
  advice: 'Delete the slice.',
  subjects: ['endpointslices.discovery.k8s.io'],
  readsFacts: false,
  check: (view) =>
    view.of('endpointslices.discovery.k8s.io').flatMap((slice) => {
      const { namespace, labels } = slice;
      const service = labels?.[serviceName];
      const manager = labels?.[managedBy];
      if (service === undefined || slice.ownerReferences.length > 0) return [];
      // Their own controller deletes them.
      if (manager === mirrored || isBeingDeleted(slice) || slice.uid === '') return [];
      if (view.cluster.at('services', namespace, service)) return [];
      if (!wasRead(view, slice, 'services')) return [];
      return [
        {
          object: slice,
          // Another manager may still come for it.
          confidence: manager === ofServices ? 'certain' : 'likely',
          message: `there is no Service ${service}, and the slice has no owner; it is managed by ${manager ?? 'an unknown program'}`,
          fix: { summary: 'delete it', command: shellCommand`kubectl delete ${addressOf(slice)}` },
        },
      ];
    }),
};

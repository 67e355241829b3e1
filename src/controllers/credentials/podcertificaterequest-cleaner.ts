import { minute } from '../../kube/time.ts';
import type { PassController } from '../controller.ts';
import { deletion, passesFrom } from '../decision.ts';

const id = 'podcertificaterequest-cleaner';
const resource = 'podcertificaterequests.certificates.k8s.io';

/** A request is deleted 15 minutes after its creation, whatever its outcome (CSR-8). */
export const podCertificateRequestCleaner: PassController = {
  id,
  controllers: ['podcertificaterequest-cleaner-controller'],
  reads: [resource],
  pass(view, _settings, now, memory) {
    return view.all(resource).flatMap((request) => {
      if (request.creationTimestamp === undefined) return [];
      const due = Date.parse(request.creationTimestamp) + 15 * minute;
      const period = { period: 5 * minute, afterStart: 5 * minute };
      return [
        deletion(id, request, {
          ...passesFrom(id, period, due, now, memory),
          options: { uid: request.uid },
          because: 'it is older than 15 minutes',
          rule: 'CSR-8',
        }),
      ];
    });
  },
};

import { minute } from '../../kube/time.ts';
import type { PassController } from '../controller.ts';
import { blindAtFirst, deletion, passesFrom } from '../decision.ts';

const resource = 'podcertificaterequests.certificates.k8s.io';

const fiveMinutePasses = blindAtFirst(5 * minute);

/** A request is deleted 15 minutes after its creation, whatever its outcome (CSR-8). */
export const podCertificateRequestCleaner: PassController = {
  id: 'podcertificaterequest-cleaner',
  controllers: ['podcertificaterequest-cleaner-controller'],
  reads: [resource],
  passes: fiveMinutePasses,
  pass(view, _settings, now, memory) {
    return view.all(resource).flatMap((request) => {
      if (request.creationTimestamp === undefined) return [];
      const due = Date.parse(request.creationTimestamp) + 15 * minute;
      return [
        deletion(podCertificateRequestCleaner.id, request, {
          ...passesFrom(podCertificateRequestCleaner.id, fiveMinutePasses, due, now, memory),
          options: { uid: request.uid },
          because: 'it is older than 15 minutes',
          rule: 'CSR-8',
        }),
      ];
    });
  },
};

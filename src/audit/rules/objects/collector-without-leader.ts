import { isLeaseValid, leaseTime, readingTime } from '../../../controllers/leader-lease.ts';
import { shellCommand } from '../../../kube/shell-command.ts';
import { age, timestampOf } from '../../../kube/time.ts';
import { isOfCluster } from '../../../snapshot/snapshot.ts';
import type { AuditRule } from '../audit-rule.ts';

const leases = 'leases.coordination.k8s.io';

export const collectorWithoutLeader: AuditRule = {
  id: 'collector-without-leader',
  title: 'No controller manager leads, so nothing is collected',
  severity: 'error',
  consequence:
    'never collected: no garbage collector runs, and deletions in the foreground do not end',
  advice: 'Look at the pod of kube-controller-manager, its log, and its access to the API server.',
  subjects: [leases],
  readsFacts: false,
  check: ({ of, now, graph, cannotTell }) => {
    const records = of(leases);
    const lease = records.find(
      ({ namespace, name }) => namespace === 'kube-system' && name === 'kube-controller-manager',
    );
    if (lease && !lease.facts) cannotTell(lease, 'only metadata of its Lease was read');
    const renewed = Date.parse(lease?.facts?.renewTime ?? '');
    if (!lease || Number.isNaN(renewed)) return [];
    const time = leaseTime(lease, records, now, isOfCluster(graph.snapshot));
    if (time === undefined || isLeaseValid(lease.facts ?? {}, time, readingTime)) return [];
    const { holderIdentity = '' } = lease.facts ?? {};
    return [
      {
        object: lease,
        message: `kube-controller-manager last renewed its Lease ${age(timestampOf(renewed), time)} before; ${holderIdentity === '' ? 'no instance holds it' : `it is still held by ${holderIdentity}`}`,
        confidence: 'likely',
        fix: {
          summary: 'bring kube-controller-manager back: its static pod, its log, its access',
          command: shellCommand`kubectl get pods -n kube-system -l component=kube-controller-manager`,
        },
      },
    ];
  },
};

import { isLeaseValid } from '../../controllers/leader-lease.ts';
import { leaseType } from '../../kube/core-types.ts';
import { textAt } from '../../kube/field-at.ts';
import { type Link, link } from '../chain.ts';
import { evidenceOf, type Inquiry } from '../inquiry.ts';
import { readWhole } from '../read-whole.ts';
import { leaderLeaseOf } from './workload-link.ts';

/** Does kube-controller-manager run? Its leader renews a Lease every few seconds. */
export function controllerManagerLink(inquiry: Inquiry, controller: string): Link {
  const [namespace, name] = ['kube-system', 'kube-controller-manager'];
  const reading = readWhole(inquiry.ask({ ask: 'object', type: leaseType, namespace, name }));
  const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name, uid: '' };
  const evidence = evidenceOf(reading, (lease) =>
    lease
      ? `held by ${textAt(lease, 'spec.holderIdentity') || 'nobody'}, renewed at ${textAt(lease, 'spec.renewTime') || 'no time'}`
      : 'there is no such Lease',
  );
  if (reading.state === 'pending' || reading.state === 'unread') {
    return link(
      object,
      'controller-manager-unknown',
      'unknown',
      'whether kube-controller-manager runs could not be read',
      { evidence },
    );
  }
  const lease = reading.value;
  if (!lease) {
    return link(
      object,
      'controller-manager-unknown',
      'unknown',
      'kube-controller-manager holds no Lease: it does not run, it runs elsewhere, or without leader election',
      { evidence, next: 'Look whether kube-controller-manager runs.' },
    );
  }
  const uid = textAt(lease, 'metadata.uid');
  const renewed = Date.parse(textAt(lease, 'spec.renewTime'));
  const holder = textAt(lease, 'spec.holderIdentity');
  const seconds = Math.round((inquiry.now - renewed) / 1000);
  if (holder === '' || !isLeaseValid(leaderLeaseOf(lease), inquiry.now)) {
    const since = Number.isNaN(renewed) ? '' : `; its Lease was last renewed ${seconds}s ago`;
    return link(
      { ...object, uid },
      'controller-manager-down',
      'blocked',
      `kube-controller-manager, which runs the ${controller}, has no leader${since}`,
      {
        evidence,
        rule: 'GC-78',
        next: 'Bring kube-controller-manager back (its static pod, its logs, its access to the API server); it then goes on by itself.',
      },
    );
  }
  return link(
    { ...object, uid },
    'controller-manager-runs',
    'fine',
    `kube-controller-manager has a leader, which renewed its Lease ${Math.max(0, seconds)}s ago; whether the ${controller} is among its controllers is not told`,
    {
      evidence,
      next: `If nothing happens, look for the ${controller} in its log and in --controllers.`,
    },
  );
}

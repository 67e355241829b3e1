import { damagedIn, isConversionFailure } from '../../cluster/unlistable.ts';
import { shellCommand } from '../../command-line/shell-command.ts';
import { isLed, isManagerLease, leaseTime } from '../../kube/leader-lease.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { parseApiVersion } from '../../kube/resource-type.ts';
import { age, timestampOf } from '../../kube/time.ts';
import { customResourceDefinitions, leases } from '../../kube/well-known-kinds.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import { isOfCluster } from '../../snapshot/snapshot.ts';
import { mayBeUnconverted } from '../../why/links/unreadable-kind-links.ts';
import { objectNamed, type Rule } from '../rule.ts';

export const unavailableApi: Rule = {
  id: 'unavailable-api',
  title: 'An API that does not list what it serves',
  severity: 'error',
  consequence:
    'never collected while it is down: what it serves, and what names an owner there; namespaces do not end',
  advice:
    'Bring the server behind its Service back. If it was uninstalled for good, delete the APIService. `kubectl gc why --gc` shows what is missing.',
  subjects: ['apiservices.apiregistration.k8s.io'],
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

const services = 'apiservices.apiregistration.k8s.io';

export const unlistableKind: Rule = {
  id: 'unlistable-kind',
  title: 'A kind that is served but cannot be listed',
  severity: 'error',
  consequence:
    'never collected: the garbage collector does not see objects of such a kind, and namespaces do not end',
  advice:
    'Bring the conversion webhook back, or find out why the list fails. `kubectl gc why --gc` shows what is missing.',
  subjects: [customResourceDefinitions, services],
  check: ({ graph }) => {
    const { coverage } = graph.snapshot;
    const broken = new Map<string, CoverageProblem>();
    for (const problem of coverage.problems) {
      const { resource } = problem;
      if (resource === undefined || broken.has(resource)) continue;
      if (problem.reason === 'unlistable') broken.set(resource, problem);
    }
    return [...broken].map(([resource, { message, apiVersion = '' }]) => {
      const isConverted = isConversionFailure(message);
      const isDamaged = damagedIn(message).length > 0;
      const object = servedBy(graph, resource, apiVersion);
      const restored = 'restore these objects in etcd from a backup';
      return {
        object,
        message: `${resource}: ${message}`,
        confidence: isConverted || isDamaged ? ('certain' as const) : ('likely' as const),
        fix: {
          summary: isConverted
            ? 'bring the conversion webhook of its definition back'
            : isDamaged
              ? mayBeUnconverted(resource, message) && mayConvert(object)
                ? `bring the conversion webhook of its definition back; if it answers, ${restored}`
                : restored
              : 'find out why it cannot be listed',
          command: shellCommand`kubectl gc why --gc`,
        },
      };
    });
  },
};

/** Does its definition, if it was read, have objects converted by a webhook? */
function mayConvert({ facts }: ObjectRecord): boolean {
  return facts === undefined || facts.conversionStrategy === 'Webhook';
}

/** What makes the API server serve a kind: its definition, or, where it has none, its APIService. */
function servedBy(graph: Graph, resource: string, apiVersion: string): ObjectRecord {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  const definition = objectNamed(graph, customResourceDefinitions, resource);
  const service = objectNamed(graph, services, `${version}.${group}`);
  return definition.uid === '' && service.uid !== '' ? service : definition;
}

export const collectorWithoutLeader: Rule = {
  id: 'collector-without-leader',
  title: 'No controller manager leads, so nothing is collected',
  severity: 'error',
  consequence:
    'never collected: no garbage collector runs, and deletions in the foreground do not end',
  advice: 'Look at the pod of kube-controller-manager, its log, and its access to the API server.',
  subjects: [leases],
  check: ({ of, now, graph, cannotTell }) => {
    const records = of(leases);
    const lease = records.find(isManagerLease);
    if (lease && !lease.facts) cannotTell(lease, 'only metadata of its Lease was read');
    const renewed = Date.parse(lease?.facts?.renewTime ?? '');
    if (!lease || Number.isNaN(renewed)) return [];
    const ofCluster = isOfCluster(graph.snapshot);
    if (isLed(lease, records, now, ofCluster) !== false) return [];
    const time = leaseTime(lease, records, now, ofCluster) ?? now;
    const { holderIdentity = '' } = lease.facts ?? {};
    return [
      {
        object: lease,
        message: `kube-controller-manager last renewed its Lease ${age(timestampOf(renewed), time)} before; ${holderIdentity === '' ? 'no instance has it' : `its holder is still ${holderIdentity}`}`,
        confidence: 'likely',
        fix: {
          summary: 'bring kube-controller-manager back: its static pod, its log, its access',
          command: shellCommand`kubectl get pods -n kube-system -l component=kube-controller-manager`,
        },
      },
    ];
  },
};

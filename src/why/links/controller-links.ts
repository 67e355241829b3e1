import { viewOf } from '../../controllers/cluster-view.ts';
import type { Controller, Decision } from '../../controllers/controller.ts';
import { csrCleaner } from '../../controllers/credentials/csr-cleaner.ts';
import { podCertificateRequestCleaner } from '../../controllers/credentials/podcertificaterequest-cleaner.ts';
import { controllerOf } from '../../controllers/decision.ts';
import { cronJobHistory } from '../../controllers/jobs/cronjob-history.ts';
import { leftBehindBy, madeByJob } from '../../controllers/jobs/left-behind.ts';
import { ttlAfterFinished } from '../../controllers/jobs/ttl-after-finished.ts';
import { isTerminated } from '../../controllers/pod-gc/pass.ts';
import { podGarbageCollector } from '../../controllers/pod-gc/pod-gc.ts';
import { defaultControllerSettings } from '../../controllers/settings/controller-settings.ts';
import {
  persistentVolumeReclaim,
  releaseInWords,
} from '../../controllers/volumes/persistentvolume-reclaim.ts';
import { replicaSetHistory } from '../../controllers/workloads/replicaset-history.ts';
import { claimType, jobType, podType } from '../../kube/core-types.ts';
import { factFieldsOf } from '../../kube/facts/object-facts.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { shellCommand, suggested } from '../../kube/shell-command.ts';
import { timestampOf } from '../../kube/time.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type Link, link } from '../chain.ts';
import {
  type Evidence,
  evidenceOf,
  type Inquiry,
  notHeld,
  presence,
  snapshotOf,
  valueIn,
} from '../inquiry.ts';
import { conditionLink } from './pod-links.ts';
import { controllerManagerLink } from './program-links.ts';
import { attachedBesides } from './volume-links.ts';

/** An object, or all of a kind in a namespace, that a controller looks at besides the object itself. */
interface Needed {
  readonly resource: string;
  readonly namespace: string;
  /** Undefined: all of the kind. */
  readonly name?: string;
  /** A field selector: which of them, in whatever namespace. */
  readonly fields?: string;
}

interface Decider {
  readonly controller: Controller;
  readonly needs: (record: ObjectRecord) => readonly Needed[];
  /** Does what it decides about the object depend on the settings of kube-controller-manager? */
  readonly readsSettings?: (record: ObjectRecord) => boolean;
}

/** The owner that controls the object, and the objects of its own kind beside it. */
function controllerAndSiblings(kind: string, resource: string): Decider['needs'] {
  return (record) => {
    const owner = controllerOf(record);
    const { namespace } = record;
    if (owner?.kind !== kind) return [];
    return [
      { resource, namespace, name: owner.name },
      { resource: groupResourceOf(record.type), namespace },
    ];
  };
}

function hasEnded(pod: ObjectRecord): boolean {
  return pod.facts?.phase !== undefined && isTerminated(pod);
}

/** The controllers that delete live objects of a kind, where looking at few other objects tells. */
const deciders: Readonly<Record<string, readonly Decider[]>> = {
  pods: [
    {
      controller: podGarbageCollector,
      readsSettings: hasEnded,
      needs: (pod) => {
        const name = knownNodeOf(pod);
        const node = name === undefined ? [] : [{ resource: 'nodes', namespace: '', name }];
        return hasEnded(pod)
          ? [...node, { resource: 'pods', namespace: '', fields: endedPods }]
          : node;
      },
    },
  ],
  'jobs.batch': [
    { controller: ttlAfterFinished, needs: () => [] },
    { controller: cronJobHistory, needs: controllerAndSiblings('CronJob', 'cronjobs.batch') },
  ],
  'replicasets.apps': [
    {
      controller: replicaSetHistory,
      needs: controllerAndSiblings('Deployment', 'deployments.apps'),
    },
  ],
  persistentvolumes: [
    {
      controller: persistentVolumeReclaim,
      needs: ({ facts }) => {
        const { namespace, name } = facts?.claimRef ?? {};
        if (namespace === undefined || name === undefined) return [];
        return [{ resource: 'persistentvolumeclaims', namespace, name }];
      },
    },
  ],
  'certificatesigningrequests.certificates.k8s.io': [{ controller: csrCleaner, needs: () => [] }],
  'podcertificaterequests.certificates.k8s.io': [
    { controller: podCertificateRequestCleaner, needs: () => [] },
  ],
};

/**
 * What controllers other than the garbage collector will do with a live object, as `forecast` says
 * it, with the cluster's settings, else upstream's defaults; and what that rests on and could not be read.
 */
export function controllerLinks(inquiry: Inquiry, record: ObjectRecord): Link[] {
  if (isBeingDeleted(record)) return [];
  const own = deciders[groupResourceOf(record.type)] ?? [];
  return own.flatMap((decider) => decided(inquiry, record, decider));
}

function decided(
  inquiry: Inquiry,
  record: ObjectRecord,
  { controller, needs, readsSettings }: Decider,
): Link[] {
  const settings = readsSettings?.(record) ? inquiry.ask({ ask: 'settings' }) : undefined;
  const { type, namespace, name } = record;
  const own = inquiry.ask({ ask: 'object', type, namespace, name });
  const unread: Evidence[] =
    record.facts === undefined && factFieldsOf(record.type) && own.state === 'read'
      ? [notHeld(own.what, own.readAt, 'spec and status')]
      : [];
  const evidence: Evidence[] = [];
  const records = new Map([[record.uid, record]]);
  const asked: Snapshot['coverage']['asked'][number][] = [];
  for (const one of needs(record)) {
    const [kind] = inquiry.types.versions(one.resource);
    if (!kind) continue;
    const keep = (found: ObjectRecord) => records.set(found.uid, found);
    if (one.name === undefined) {
      const { fields } = one;
      const namespace = fields === undefined ? one.namespace : undefined;
      const which = { namespace, ...(fields !== undefined && { fields }) };
      const reading = inquiry.ask({ ask: 'list', type: kind, ...which });
      if (reading.state === 'read') reading.value.forEach(keep);
      const told = evidenceOf(reading, (list) => `${list.length} read`);
      (reading.state === 'unread' ? unread : evidence).push(...told);
      continue;
    }
    const reading = inquiry.ask({ ask: 'object', type: kind, ...one, name: one.name });
    if (reading.state === 'read') {
      asked.push({ resource: one.resource, namespace: one.namespace, name: one.name });
      if (reading.value) keep(reading.value);
    }
    (reading.state === 'unread' ? unread : evidence).push(...presence(reading));
  }
  if (unread.length > 0) {
    const because = `whether the controller ${controller.id} deletes it was not read`;
    return [link(record, 'controller-unknown', 'unknown', because, { evidence: unread })];
  }
  const view = viewOf(snapshotOf(inquiry, [...records.values()], asked));
  return controller
    .decide(
      view,
      settings?.state === 'read' ? settings.value.settings : defaultControllerSettings,
      inquiry.now,
    )
    .filter(({ action, object }) => action === 'delete' && object.uid === record.uid)
    .map((decision) => {
      const manager = controllerManagerLink(inquiry, decision.collector);
      return link(record, 'controller-deletes', 'waiting', inWords(decision, inquiry.now), {
        rule: decision.rule,
        evidence,
        links: manager.state === 'blocked' ? [manager] : [],
        command: suggested('To see all that is due', shellCommand`kubectl gc forecast`),
      });
    });
}

function inWords({ collector, notBefore, notAfter, confidence, because }: Decision, now: number) {
  const from = timestampOf(notBefore);
  const to = notAfter === undefined ? undefined : timestampOf(notAfter);
  const start = notBefore <= now ? 'from now on' : `from ${from} on`;
  const sure = from === to ? `at ${from}` : `between ${from} and ${to}`;
  const when =
    confidence === 'certain' && to !== undefined
      ? sure
      : `${confidence === 'certain' ? '' : 'perhaps, '}${start}`;
  return `the controller ${collector} deletes it ${when}: ${because}`;
}

/** Selects the pods that pod GC counts (PG-4). */
export const endedPods = 'status.phase!=Pending,status.phase!=Running,status.phase!=Unknown';

/** What a live object is left of: a Job that is gone, containers that have ended, a claim that let a volume go; and what attaches that of a claim. */
export function remainsLinks(inquiry: Inquiry, record: ObjectRecord): Link[] {
  if (isBeingDeleted(record)) return [];
  const remains = [jobLink, endedLink, releaseLink].flatMap((one) => one(inquiry, record) ?? []);
  const attached = isPod(record) ? [] : attachedBesides(inquiry, record);
  return [...remains, ...attached, ...conditionLink(record)];
}

function jobLink(inquiry: Inquiry, pod: ObjectRecord): Link | undefined {
  const job = madeByJob(pod);
  if (!job || pod.ownerReferences.length > 0) return undefined;
  const { namespace } = pod;
  const reading = inquiry.ask({ ask: 'object', type: jobType, namespace, name: job.name });
  if (reading.state !== 'read' || reading.value?.uid === job.uid) return undefined;
  const evidence = evidenceOf(reading, (found) =>
    found ? `uid ${found.uid}, not the one that made the pod` : 'does not exist',
  );
  return link(pod, 'left-behind', 'fine', leftBehindBy(job.name), { rule: 'GC-55', evidence });
}

/** How far below the threshold of pod GC it is; above it, the decision of pod GC says so. */
function endedLink(inquiry: Inquiry, pod: ObjectRecord): Link | undefined {
  const { phase, reason } = pod.facts ?? {};
  if (!isPod(pod) || phase === undefined || !isTerminated(pod)) return undefined;
  const { threshold, said } = thresholdOf(inquiry);
  const reading = inquiry.ask({
    ask: 'list',
    type: podType,
    namespace: undefined,
    fields: endedPods,
  });
  const count = valueIn(reading)?.length;
  if (count !== undefined && threshold > 0 && count > threshold) return undefined;
  const kept =
    threshold > 0
      ? `pod GC keeps ended pods up to a threshold, ${said}`
      : `pod GC keeps all ended pods, as its threshold is ${threshold}`;
  const many = count === undefined ? 'how many there are was not read' : `there are ${count}`;
  const because = `it has ended (${[phase, reason].filter(Boolean).join(', ')}); ${kept}, and ${many}`;
  const evidence = evidenceOf(reading, (list) => `${list.length} have ended`);
  return link(pod, 'ended', 'fine', because, { rule: 'PG-5', evidence });
}

/** The threshold of the cluster's own pod GC, else upstream's default; and in words which of them it is. */
function thresholdOf(inquiry: Inquiry): { readonly threshold: number; readonly said: string } {
  const reading = inquiry.ask({ ask: 'settings' });
  const { settings, thresholdFrom } =
    reading.state === 'read'
      ? reading.value
      : { settings: defaultControllerSettings, thresholdFrom: 'unknown' };
  const { terminatedPodGCThreshold: threshold } = settings;
  const isRead = thresholdFrom !== 'default' && thresholdFrom !== 'unknown';
  if (isRead) return { threshold, said: `here ${threshold}` };
  const doubt = thresholdFrom === 'unknown' ? ' (what it is here was not read)' : '';
  return { threshold, said: `by default ${threshold}${doubt}` };
}

function releaseLink(inquiry: Inquiry, volume: ObjectRecord): Link | undefined {
  const { namespace, name } = volume.facts?.claimRef ?? {};
  if (groupResourceOf(volume.type) !== 'persistentvolumes' || !namespace || !name) return undefined;
  const reading = inquiry.ask({ ask: 'object', type: claimType, namespace, name });
  const claim = valueIn(reading);
  const claims = { resource: groupResourceOf(claimType), namespace, name };
  const asked = reading.state === 'read' ? [claims] : [];
  const view = viewOf(snapshotOf(inquiry, claim ? [volume, claim] : [volume], asked));
  const because = releaseInWords(view, volume, inquiry.now);
  if (because === undefined) return undefined;
  return link(volume, 'released', 'fine', because, { rule: 'PV-2', evidence: presence(reading) });
}

import { viewOf } from '../../controllers/cluster-view.ts';
import type { Controller, Decision } from '../../controllers/controller.ts';
import { bootstrapTokenCleaner } from '../../controllers/credentials/bootstrap-token-cleaner.ts';
import { csrCleaner } from '../../controllers/credentials/csr-cleaner.ts';
import { podCertificateRequestCleaner } from '../../controllers/credentials/podcertificaterequest-cleaner.ts';
import {
  accountAnnotation,
  serviceAccountToken,
} from '../../controllers/credentials/serviceaccount-token.ts';
import { controllerOf } from '../../controllers/decision.ts';
import { cronJobHistory } from '../../controllers/jobs/cronjob-history.ts';
import { leftBehindBy, madeByJob } from '../../controllers/jobs/left-behind.ts';
import { ttlAfterFinished } from '../../controllers/jobs/ttl-after-finished.ts';
import { evictions, nodeLifecycle } from '../../controllers/nodes/node-lifecycle.ts';
import { isTerminated } from '../../controllers/pod-gc/pass.ts';
import { podGarbageCollector } from '../../controllers/pod-gc/pod-gc.ts';
import { controllerSettingsOf } from '../../controllers/settings/controller-settings.ts';
import { enabledControllers } from '../../controllers/settings/enabled-controllers.ts';
import type { SettingSource } from '../../controllers/settings/read-setting.ts';
import {
  persistentVolumeReclaim,
  releaseInWords,
} from '../../controllers/volumes/persistentvolume-reclaim.ts';
import { replicaSetHistory } from '../../controllers/workloads/replicaset-history.ts';
import { claimType, jobType, podType } from '../../kube/core-types.ts';
import { factFieldsOf } from '../../kube/facts/object-facts.ts';
import { picked } from '../../kube/json-value.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { shellCommand, suggested } from '../../kube/shell-command.ts';
import { timestampOf } from '../../kube/time.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import type { Coverage } from '../../snapshot/coverage.ts';
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
  /** Empty: of no namespace, or all that are anywhere. */
  readonly namespace: string;
  /** Undefined: all of the kind. */
  readonly name?: string;
  /** Which of them: a field selector. */
  readonly fields?: string;
  /** Are these all that the controller looks at of the kind? Default: where no selector chose them. */
  readonly isAll?: boolean;
}

interface Decider {
  readonly controller: Pick<Controller, 'id' | 'controllers' | 'decide'>;
  readonly needs: (record: ObjectRecord) => readonly Needed[];
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

/** A Secret in a cluster is read without its type; a list tells it. */
function typeOfSecret({ namespace, name, facts }: ObjectRecord): readonly Needed[] {
  if (facts) return [];
  return [{ resource: 'secrets', namespace, fields: `metadata.name=${name}` }];
}

function nodeOf(pod: ObjectRecord): readonly Needed[] {
  const name = knownNodeOf(pod);
  return name === undefined ? [] : [{ resource: 'nodes', namespace: '', name }];
}

/** Node lifecycle as far as a pod's own Node tells: whether it evicts the pod for a taint. */
const taintEviction: Decider['controller'] = {
  id: nodeLifecycle.id,
  controllers: ['taint-eviction-controller'],
  decide: (view, _settings, now, memory) => evictions(view, now, memory),
};

function hasEnded(pod: ObjectRecord): boolean {
  return isPod(pod) && pod.facts?.phase !== undefined && isTerminated(pod);
}

/** The controllers that delete live objects of a kind, where looking at few other objects tells. */
const deciders: Readonly<Record<string, readonly Decider[]>> = {
  pods: [
    {
      controller: podGarbageCollector,
      needs: (pod) =>
        hasEnded(pod)
          ? [...nodeOf(pod), { resource: 'pods', namespace: '', fields: endedPods, isAll: true }]
          : nodeOf(pod),
    },
    { controller: taintEviction, needs: nodeOf },
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
  secrets: [
    {
      controller: bootstrapTokenCleaner,
      needs: (secret) => (secret.namespace === 'kube-system' ? typeOfSecret(secret) : []),
    },
    {
      controller: serviceAccountToken,
      needs: (secret) => {
        const { namespace, annotations } = secret;
        const name = annotations?.[accountAnnotation];
        if (name === undefined) return [];
        return [...typeOfSecret(secret), { resource: 'serviceaccounts', namespace, name }];
      },
    },
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

function decided(inquiry: Inquiry, record: ObjectRecord, { controller, needs }: Decider): Link[] {
  const [runBy = ''] = controller.controllers;
  const { type, namespace, name } = record;
  const own = inquiry.ask({ ask: 'object', type, namespace, name });
  const unread: Evidence[] =
    record.facts === undefined && factFieldsOf(record.type) && own.state === 'read'
      ? [notHeld(own.what, own.readAt, 'spec and status')]
      : [];
  const evidence: Evidence[] = [];
  const records = new Map([[record.uid, record]]);
  const asked: Coverage['asked'][number][] = [];
  const listed: Coverage['read'][number][] = [];
  for (const one of needs(record)) {
    const [kind] = inquiry.types.versions(one.resource);
    if (!kind) continue;
    const keep = (found: ObjectRecord) => records.set(found.uid, found);
    if (one.name === undefined) {
      const { resource, namespace: within, fields, isAll = fields === undefined } = one;
      const place = { namespace: within === '' ? undefined : within, ...picked(one, 'fields') };
      const reading = inquiry.ask({ ask: 'list', type: kind, ...place });
      if (reading.state === 'read') {
        if (isAll) listed.push({ resource, ...(within !== '' && { namespaces: [within] }) });
        reading.value.forEach(keep);
      }
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
    if (runsHere(inquiry, runBy).runs === false) return [];
    const because = `whether the controller ${controller.id} deletes it was not read`;
    return [link(record, 'controller-unknown', 'unknown', because, { evidence: unread })];
  }
  // Only of an ended pod the decision goes by them; they take several requests.
  const { settings } = hasEnded(record) ? managerSettings(inquiry) : controllerSettingsOf([]);
  return controller
    .decide(
      viewOf(snapshotOf(inquiry, [...records.values()], asked, listed)),
      settings,
      inquiry.now,
    )
    .filter(({ action, object }) => action === 'delete' && object.uid === record.uid)
    .map((decision) => decisionLink(inquiry, decision, evidence, runBy));
}

/** What the controller, which kube-controller-manager calls `runBy`, decided: as far as it runs here. */
function decisionLink(
  inquiry: Inquiry,
  decision: Decision,
  read: readonly Evidence[],
  runBy: string,
): Link {
  const { object, collector, because, confidence, rule } = decision;
  const when = timeInWords(decision, inquiry.now);
  const { runs, evidence: flags } = runsHere(inquiry, runBy);
  const details = { rule, evidence: [...read, ...flags] };
  if (runs === false) {
    const off = `the controller ${collector} ${offHere(runBy)}; it would delete it ${when}: ${because}`;
    return link(object, 'controller-off', 'fine', off, details);
  }
  const byDefault = enabledControllers(['*'])(runBy);
  const doubt = `whether it runs here was not read; by default it ${byDefault ? 'does' : 'does not'}`;
  const told = `the controller ${collector} deletes it ${when}${runs ? '' : ` (${doubt})`}: ${because}`;
  if (confidence === 'unknown' || !(runs ?? byDefault)) {
    return link(object, 'controller-unknown', 'unknown', told, details);
  }
  const manager = controllerManagerLink(inquiry, collector);
  return link(object, 'controller-deletes', 'waiting', told, {
    ...details,
    links: manager.state === 'blocked' ? [manager] : [],
    command: suggested('To see all that is due', shellCommand`kubectl gc forecast`),
  });
}

/** The settings of kube-controller-manager here, else upstream's defaults. */
function managerSettings(inquiry: Inquiry) {
  return valueIn(inquiry.ask({ ask: 'settings' })) ?? controllerSettingsOf([]);
}

/** Does a controller of kube-controller-manager run here, by its `--controllers`? Undefined where that was not read. */
function runsHere(
  inquiry: Inquiry,
  name: string,
): { readonly runs: boolean | undefined; readonly evidence: readonly Evidence[] } {
  const reading = inquiry.ask({ ask: 'settings' });
  if (reading.state === 'read' && reading.value.controllersFrom === 'unknown') {
    const { what, readAt } = reading;
    const couldNotRead = 'nothing shows its --controllers';
    return { runs: undefined, evidence: [{ what, readAt, couldNotRead, reason: 'unavailable' }] };
  }
  const controllers = valueIn(reading)?.settings.controllers;
  return {
    runs: controllers && enabledControllers(controllers)(name),
    evidence: evidenceOf(reading, () => `--controllers=${controllers?.join(',')}`),
  };
}

function offHere(name: string): string {
  return `does not run here, as --controllers leaves ${name} off`;
}

function timeInWords({ notBefore, notAfter, confidence }: Decision, now: number) {
  const from = timestampOf(notBefore);
  const to = notAfter === undefined ? undefined : timestampOf(notAfter);
  const start = notBefore <= now ? 'from now on' : `from ${from} on`;
  const sure = from === to ? `at ${from}` : `between ${from} and ${to}`;
  return confidence === 'certain' && to !== undefined
    ? sure
    : `${confidence === 'certain' ? '' : 'perhaps, '}${start}`;
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
  if (!hasEnded(pod)) return undefined;
  const { settings, thresholdFrom } = managerSettings(inquiry);
  const { terminatedPodGCThreshold: threshold } = settings;
  const reading = inquiry.ask({
    ask: 'list',
    type: podType,
    namespace: undefined,
    fields: endedPods,
  });
  const count = valueIn(reading)?.length;
  if (count !== undefined && threshold > 0 && count > threshold) return undefined;
  const [podGc = ''] = podGarbageCollector.controllers;
  const kept =
    runsHere(inquiry, podGc).runs === false
      ? `pod GC ${offHere(podGc)}`
      : threshold > 0
        ? `pod GC keeps ended pods up to a threshold, ${saidOf(threshold, thresholdFrom)}`
        : `pod GC keeps all ended pods, as its threshold is ${threshold}`;
  const many = count === undefined ? 'how many there are was not read' : `there are ${count}`;
  const because = `it has ended (${[phase, reason].filter(Boolean).join(', ')}); ${kept}, and ${many}`;
  const evidence = evidenceOf(reading, (list) => `${list.length} have ended`);
  return link(pod, 'ended', 'fine', because, { rule: 'PG-5', evidence });
}

/** Whether that is the threshold of the cluster's own pod GC, or upstream's default. */
function saidOf(threshold: number, from: SettingSource): string {
  if (from === 'unknown') return `by default ${threshold} (what it is here was not read)`;
  return `${from === 'default' ? 'by default' : 'here'} ${threshold}`;
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

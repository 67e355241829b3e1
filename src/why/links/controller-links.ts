import {
  addressOf,
  inNamespace,
  shellCommand,
  suggested,
} from '../../command-line/shell-command.ts';
import { viewOf } from '../../controllers/cluster-view.ts';
import type { Decision } from '../../controllers/controller.ts';
import { decideAll, memoryFromLease } from '../../controllers/decision.ts';
import { ttlAfterFinished } from '../../controllers/jobs/ttl-after-finished.ts';
import {
  isLeaseOfNode,
  isLeftByDeployment,
  leftBehindBy,
  leftByDeployment,
  madeByJob,
  nodeIsGone,
} from '../../controllers/left-without-reference.ts';
import { endedPods } from '../../controllers/pod-gc/pass.ts';
import { podGarbageCollector } from '../../controllers/pod-gc/pod-gc.ts';
import { releaseInWords } from '../../controllers/volumes/persistentvolume-reclaim.ts';
import { keptWhenScaled } from '../../controllers/workloads/statefulset-pvc-retention.ts';
import { certificateNamedIn, unservedCertificate } from '../../delivery/cert-manager.ts';
import { endOfContainer } from '../../history/compare/explain-ends.ts';
import {
  claimType,
  crdType,
  jobType,
  leaseType,
  namespaceType,
  nodeType,
  podType,
  statefulSetType,
} from '../../kube/core-types.ts';
import { hasOwnFacts } from '../../kube/facts/object-facts.ts';
import { picked } from '../../kube/json-value.ts';
import { managerLease } from '../../kube/leader-lease.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { day, humanDuration, timestampOf } from '../../kube/time.ts';
import { finishedCondition, isPod } from '../../kube/well-known-kinds.ts';
import {
  type ControllerSettings,
  controllerSettingsOf,
} from '../../settings/controller-settings.ts';
import { enabledControllers, offHere } from '../../settings/enabled-controllers.ts';
import type { SettingSource } from '../../settings/read-setting.ts';
import { simulatedDeletions } from '../../simulator/forecast/forecast-actions.ts';
import { beginSimulation } from '../../simulator/simulate.ts';
import type { Coverage } from '../../snapshot/coverage.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type Link, link } from '../chain.ts';
import {
  type Evidence,
  evidenceOf,
  type Inquiry,
  notHeld,
  presence,
  seenIn,
  snapshotOf,
  valueIn,
} from '../inquiry.ts';
import { type Decider, decidersOf, hasEnded, isRecreatedOnceEnded, ofAnyKind } from './deciders.ts';
import { managerLink, runsHere } from './program-links.ts';
import { hookLink } from './release-links.ts';
import { reportLinks } from './report-links.ts';
import { attachedBesides, attachedYet, provisionerLinks, undeletedLinks } from './volume-links.ts';

/**
 * What controllers other than the garbage collector will do with a live object, as `forecast` says
 * it, with the cluster's settings, else upstream's defaults; and what that rests on and could not be read.
 */
export function controllerLinks(inquiry: Inquiry, record: ObjectRecord): Link[] {
  if (isBeingDeleted(record)) return [];
  const own = decidersOf(groupResourceOf(record.type));
  const links = [...own, ...ofAnyKind]
    .filter(({ concerns = () => true }) => concerns(record, inquiry))
    .flatMap((decider) => decided(inquiry, record, decider));
  const stopped = links.some(deletesLater) ? keptFromReclaim(inquiry, record) : [];
  const others = stopped.length > 0 ? links.filter((one) => !deletesLater(one)) : links;
  return [
    ...containerLinks(inquiry, record),
    ...unfinishedLinks(inquiry, record),
    ...stopped,
    ...others,
  ];
}

/** What keeps a released volume, in place of a controller that would delete it. */
function keptFromReclaim(inquiry: Inquiry, record: ObjectRecord): Link[] {
  const causes = [...provisionerLinks(inquiry, record), ...attachedYet(inquiry, record)];
  return causes.length > 0 ? causes : undeletedLinks(inquiry, record);
}

/** When a Job is deleted that has yet to finish; decisions are made of what has. */
function unfinishedLinks(inquiry: Inquiry, job: ObjectRecord): Link[] {
  const ttl = job.facts?.ttlSecondsAfterFinished;
  const isJob = groupResourceOf(job.type) === groupResourceOf(jobType);
  if (!isJob || ttl === undefined || finishedCondition(job)) return [];
  const { id, controllers } = ttlAfterFinished;
  const [runBy = ''] = controllers;
  const { runs, evidence } = runsHere(inquiry, runBy);
  const when = `${humanDuration(ttl)} after it finishes (ttlSecondsAfterFinished)`;
  const details = { rule: 'TTL-1', evidence };
  return runs === false
    ? [
        link(
          job,
          'controller-off',
          'fine',
          `the controller ${id} ${offHere(runBy)}; it would delete it ${when}`,
          details,
        ),
      ]
    : [
        link(
          job,
          'controller-deletes',
          'waiting',
          `the controller ${id} deletes it ${when}`,
          details,
        ),
      ];
}

function deletesLater({ cause }: Link): boolean {
  return cause === 'controller-deletes' || cause === 'controller-unknown';
}

/** Its namespace or the definition of its kind is being deleted, and the object is deleted with it. */
function containerLinks(inquiry: Inquiry, record: ObjectRecord): Link[] {
  const { type, namespace } = record;
  const containers = [
    ...(namespace === '' ? [] : [{ type: namespaceType, name: namespace }]),
    ...(isBuiltInGroup(type.group) ? [] : [{ type: crdType, name: groupResourceOf(type) }]),
  ].map((one) => inquiry.ask({ ask: 'object', namespace: '', ...one }));
  const found = containers.flatMap((reading) => valueIn(reading) ?? []).filter(isBeingDeleted);
  if (found.length === 0) return [];
  const graph = buildGraph(snapshotOf(inquiry, [record, ...found], []));
  const end = endOfContainer(graph, record, new Map(), () => true);
  if (!end) return [];
  const times = { notBefore: inquiry.now, notAfter: undefined };
  const decision = { ...end, ...times, object: record, action: 'delete' as const };
  const runBy = end.collector === 'namespace' ? 'namespace-controller' : undefined;
  return [decisionLink(inquiry, decision, containers.flatMap(presence), runBy)];
}

function decided(inquiry: Inquiry, record: ObjectRecord, decider: Decider): Link[] {
  const { controller, isPlayed } = decider;
  const [runBy] = controller.controllers;
  const { records, asked, listed, evidence, unread } = readNeeds(inquiry, record, decider);
  if (unread.length > 0) {
    if (runBy !== undefined && runsHere(inquiry, runBy).runs === false) return [];
    const because = `whether the controller ${controller.id} deletes it was not read`;
    return [link(record, 'controller-unknown', 'unknown', because, { evidence: unread })];
  }
  // Where nothing else of the cluster counts no decision goes by them, and they take requests.
  const goesBySettings = runBy !== undefined && (!isPod(record) || listed.length > 0);
  const { settings } = goesBySettings ? managerSettings(inquiry) : controllerSettingsOf([]);
  // Since when kube-controller-manager leads decides when its controllers make their next passes.
  const lease = runBy
    ? valueIn(inquiry.ask({ ask: 'object', type: leaseType, ...managerLease }))
    : undefined;
  const snapshot = snapshotOf(inquiry, lease ? [...records, lease] : records, asked, listed);
  const view = viewOf(snapshot);
  const memory = memoryFromLease(view, inquiry.now);
  const decisions: readonly Told[] = isPlayed
    ? played(snapshot, settings, [runBy ?? '', ...others], inquiry)
    : decideAll(controller, view, settings, inquiry.now, memory);
  const own = decisions
    .filter(({ action, object }) => action === 'delete' && object.uid === record.uid)
    .filter(({ collector }) => collector === controller.id);
  const kept = own.length === 0 ? controller.kept?.(view, record) : undefined;
  if (kept) {
    const { because, next, rule } = kept;
    return [link(record, 'kept', 'holds', because, { rule, evidence, next })];
  }
  return own.map((decision) => decisionLink(inquiry, decision, evidence, runBy));
}

/** What a controller decides by about an object: as far as it could be read, and the evidence for both. */
interface ReadNeeds {
  readonly records: readonly ObjectRecord[];
  readonly asked: Coverage['asked'];
  readonly listed: Coverage['read'];
  readonly evidence: readonly Evidence[];
  readonly unread: readonly Evidence[];
}

/** A controller that does not read the object's kind decides by its metadata alone. */
function readNeeds(
  inquiry: Inquiry,
  record: ObjectRecord,
  { controller, needs }: Decider,
): ReadNeeds {
  const { type, namespace, name } = record;
  const read = inquiry.ask({ ask: 'object', type, namespace, name });
  const unread: Evidence[] =
    controller.reads.includes(groupResourceOf(type)) &&
    record.facts === undefined &&
    hasOwnFacts(record.type) &&
    read.state === 'read'
      ? [notHeld(read.what, read.readAt, 'spec and status')]
      : [];
  const evidence: Evidence[] = [];
  const records = new Map([[record.uid, record]]);
  const asked: Coverage['asked'][number][] = [];
  const listed: Coverage['read'][number][] = [];
  for (const one of needs(record, inquiry)) {
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
      const read = evidenceOf(reading, (list) => `${list.length} read`);
      (reading.state === 'unread' ? unread : evidence).push(...read);
      continue;
    }
    const reading = inquiry.ask({ ask: 'object', type: kind, ...one, name: one.name });
    if (reading.state === 'read') {
      asked.push({ resource: one.resource, namespace: one.namespace, name: one.name });
      if (reading.value) keep(reading.value);
    }
    (reading.state === 'unread' ? unread : evidence).push(...presence(reading));
  }
  return { records: [...records.values()], asked, listed, evidence, unread };
}

type Told = Pick<Decision, 'object' | 'action' | 'because' | 'rule' | 'confidence'> &
  Pick<Decision, 'notBefore' | 'notAfter'> & { readonly collector: string };

/** They decide by more than was asked for. */
const others = ['-garbage-collector-controller', '-pod-garbage-collector-controller'];

/** What `forecast` says of a year; `first` of the controllers counts. */
function played(
  snapshot: Snapshot,
  settings: ControllerSettings,
  first: readonly string[],
  { now }: Inquiry,
): Told[] {
  const duration = 365 * day;
  const controllers = [...first, ...settings.controllers];
  const clock = { now, duration, forecast: true };
  const begun = beginSimulation(snapshot, [], { ...settings, controllers }, clock);
  const simulation = begun.inOneOrder();
  return simulatedDeletions(snapshot, simulation, now, now + duration).map((one) => ({
    ...one,
    notBefore: one.from,
    notAfter: one.to,
  }));
}

/** What a controller decided, as far as it runs here. `runBy`: as `--controllers` calls it; undefined: API servers or a cloud run it. */
function decisionLink(
  inquiry: Inquiry,
  decision: Told,
  read: readonly Evidence[],
  runBy: string | undefined,
): Link {
  const { object, collector, because, confidence, rule } = decision;
  const when = timeInWords(decision, inquiry.now);
  const { runs, evidence: flags } = runBy ? runsHere(inquiry, runBy) : { runs: true, evidence: [] };
  const details = { rule, evidence: [...read, ...flags] };
  if (runBy && runs === false) {
    const off = `the controller ${collector} ${offHere(runBy)}; it would delete it ${when}: ${because}`;
    return link(object, 'controller-off', 'fine', off, details);
  }
  const byDefault = enabledControllers(['*'])(runBy ?? '');
  const doubt = `whether it runs here was not read; by default it ${byDefault ? 'does' : 'does not'}`;
  const along = collector === ttlAfterFinished.id ? ' and its Pods' : '';
  const sentence = `the controller ${collector} deletes it${along} ${when}${runs ? '' : ` (${doubt})`}: ${because}`;
  if (confidence === 'unknown' || !(runs ?? byDefault)) {
    return link(object, 'controller-unknown', 'unknown', sentence, details);
  }
  const manager = runBy && managerLink(inquiry, { title: collector, controllerName: runBy });
  return link(object, 'controller-deletes', 'waiting', sentence, {
    ...details,
    links: manager && manager.state === 'blocked' ? [manager] : [],
    command: suggested('To see all that is due', shellCommand`kubectl gc forecast`),
  });
}

/** The settings of kube-controller-manager here, else upstream's defaults. */
function managerSettings(inquiry: Inquiry) {
  return valueIn(inquiry.ask({ ask: 'settings' })) ?? controllerSettingsOf([]);
}

function timeInWords({ notBefore, notAfter, confidence }: Told, now: number) {
  const from = timestampOf(notBefore);
  const to = notAfter === undefined ? undefined : timestampOf(notAfter);
  const start = notBefore <= now ? 'from now on' : `from ${from} on`;
  const sure = from === to ? `at ${from}` : `between ${from} and ${to}`;
  return confidence === 'certain' && to !== undefined
    ? sure
    : `${confidence === 'certain' ? '' : 'perhaps, '}${start}`;
}

/** Why a live object remains: its Job was deleted, its containers have ended, its claim was deleted; and the attachments of a claim's volume. */
export function remainsLinks(inquiry: Inquiry, record: ObjectRecord): Link[] {
  if (isBeingDeleted(record)) return [];
  const remains = [
    ...[jobLink, setLink, leaseLink],
    ...[endedLink, releaseLink, scaledLink, certificateLink, hookLink],
  ].flatMap((one) => one(inquiry, record) ?? []);
  const attached = isPod(record) ? [] : attachedBesides(inquiry, record);
  return [...remains, ...attached, ...reportLinks(inquiry, record)];
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

function setLink(_: Inquiry, set: ObjectRecord): Link | undefined {
  return isLeftByDeployment(set) ? link(set, 'left-behind', 'fine', leftByDeployment) : undefined;
}

function leaseLink(inquiry: Inquiry, lease: ObjectRecord): Link | undefined {
  if (!isLeaseOfNode(lease)) return undefined;
  const reading = inquiry.ask({ ask: 'object', type: nodeType, namespace: '', name: lease.name });
  if (reading.state !== 'read' || reading.value) return undefined;
  const evidence = presence(reading);
  return link(lease, 'left-behind', 'fine', nodeIsGone(lease), { rule: 'LEASE-3', evidence });
}

/** The claim of a Pod that its StatefulSet no longer has. */
function scaledLink(inquiry: Inquiry, claim: ObjectRecord): Link | undefined {
  if (groupResourceOf(claim.type) !== groupResourceOf(claimType)) return undefined;
  const { namespace } = claim;
  const reading = inquiry.ask({ ask: 'list', type: statefulSetType, namespace });
  const kept = keptWhenScaled(claim, seenIn(reading));
  if (!kept) return undefined;
  const { because, ...details } = kept;
  const evidence = evidenceOf(reading, (list) => `${list.length} read`);
  return link(claim, 'kept', 'holds', because, { ...details, evidence });
}

/** The Secret of a Certificate: cert-manager sets no owner reference, unless --enable-certificate-owner-ref is given. */
function certificateLink(inquiry: Inquiry, secret: ObjectRecord): Link | undefined {
  const name = certificateNamedIn(secret);
  const type = inquiry.types.ofKind('cert-manager.io', 'Certificate');
  if (name === undefined || secret.ownerReferences.length > 0) return undefined;
  if (!type) {
    if (inquiry.origin === 'files' || inquiry.types.failed.length > 0) return undefined;
    return link(secret, 'left-behind', 'fine', unservedCertificate(name));
  }
  const { namespace } = secret;
  const reading = inquiry.ask({ ask: 'object', type, namespace, name });
  if (reading.state !== 'read') return undefined;
  const because = reading.value
    ? `cert-manager issued it for Certificate ${name}, and issues it again when it is deleted; it remains when the Certificate is deleted`
    : `cert-manager issued it for Certificate ${name}, which does not exist: nothing deletes it`;
  return link(secret, reading.value ? 'kept' : 'left-behind', 'fine', because, {
    evidence: presence(reading),
  });
}

/** How far below the threshold of pod GC it is; above it, the decision of pod GC says so. */
function endedLink(inquiry: Inquiry, pod: ObjectRecord): Link | undefined {
  const { phase, reason } = pod.facts ?? {};
  if (!hasEnded(pod) || isRecreatedOnceEnded(pod)) return undefined;
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
  const which = reason === 'Evicted' ? '--evicted' : '--finished';
  return link(pod, 'ended', 'holds', because, {
    rule: 'PG-5',
    evidence,
    command: suggested(
      'To delete such pods',
      shellCommand`kubectl gc delete pods ${which} ${inNamespace(pod)}`,
    ),
  });
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
  const details = { rule: 'PV-2', evidence: presence(reading) };
  if (volume.facts?.persistentVolumeReclaimPolicy !== 'Retain') {
    return link(volume, 'released', 'fine', because, details);
  }
  const patch = JSON.stringify([{ op: 'remove', path: '/spec/claimRef' }]);
  return link(volume, 'released', 'holds', because, {
    ...details,
    command: suggested(
      'To let another claim use it, with its data',
      shellCommand`kubectl patch ${addressOf(volume)} --type=json -p ${patch}`,
    ),
  });
}

import { viewOf } from '../../controllers/cluster-view.ts';
import { leftBehindBy, madeByJob } from '../../controllers/jobs/left-behind.ts';
import { isTerminated } from '../../controllers/pod-gc/pass.ts';
import { defaultControllerSettings } from '../../controllers/settings/controller-settings.ts';
import { releaseInWords } from '../../controllers/volumes/persistentvolume-reclaim.ts';
import { claimType, jobType, podType } from '../../kube/core-types.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import { type Link, link } from '../chain.ts';
import { evidenceOf, type Inquiry, presence, recordIn, snapshotOf } from '../inquiry.ts';
import { attachedBesides } from './attachment-links.ts';
import { conditionLink } from './pod-links.ts';

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
  if (reading.state !== 'read' || reading.value?.metadata.uid === job.uid) return undefined;
  const evidence = evidenceOf(reading, (found) =>
    found ? `uid ${found.metadata.uid}, not the one that made the pod` : 'does not exist',
  );
  return link(pod, 'left-behind', 'fine', leftBehindBy(job.name), { rule: 'GC-55', evidence });
}

/** How far below the threshold of pod GC it is; above it, the decision of pod GC says so. */
function endedLink(inquiry: Inquiry, pod: ObjectRecord): Link | undefined {
  const { phase, reason } = pod.facts ?? {};
  if (!isPod(pod) || phase === undefined || !isTerminated(pod)) return undefined;
  const { threshold, said } = thresholdOf(inquiry);
  const reading = inquiry.ask({
    ask: 'records',
    type: podType,
    namespace: undefined,
    fields: endedPods,
  });
  const count = reading.state === 'read' ? reading.value.length : undefined;
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
  const claim = recordIn(reading, claimType);
  const claims = { resource: groupResourceOf(claimType), namespace, name };
  const asked = reading.state === 'read' ? [claims] : [];
  const view = viewOf(snapshotOf(inquiry, claim ? [volume, claim] : [volume], asked));
  const because = releaseInWords(view, volume, inquiry.now);
  if (because === undefined) return undefined;
  return link(volume, 'released', 'fine', because, { rule: 'PV-2', evidence: presence(reading) });
}

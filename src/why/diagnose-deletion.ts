import { addressOf, shellCommand, suggested } from '../command-line/shell-command.ts';
import { namespaceType, policyType } from '../kube/core-types.ts';
import { bareRecord, type ObjectRecord } from '../kube/object-record.ts';
import { humanDuration, timestampOf } from '../kube/time.ts';
import { isNamespace, isPod, isPodTerminal, showsAllNamespaces } from '../kube/well-known-kinds.ts';
import { type Cause, type Link, link, linksOf, type Trail } from './chain.ts';
import { isYoung } from './deletion-age.ts';
import { evidenceOf, type Inquiry, presence, seenIn, valueIn } from './inquiry.ts';
import { finalizerLink } from './links/finalizer-link.ts';
import { namespaceLinks } from './links/namespace-link.ts';
import { podLink } from './links/pod-links.ts';
import { reportedEventLinks, reportLinks } from './links/report-links.ts';
import { attachedBesides } from './links/volume-links.ts';

/** An object that is being deleted: all that blocks it, each with its own chain. `uids`: the way to it. */
export function diagnoseDeletion(
  inquiry: Inquiry,
  record: ObjectRecord,
  uids: readonly string[] = [record.uid],
): Link {
  const follow = (next: ObjectRecord) => diagnoseDeletion(inquiry, next, [...uids, next.uid]);
  const trail: Trail = { uids, follow };
  const { type, namespace, name } = record;
  const reading = inquiry.ask({ ask: 'object', type, namespace, name });
  if (reading.state === 'read' && reading.value?.uid !== record.uid) {
    return link(record, 'absent', 'fine', 'it was deleted meanwhile');
  }
  const current = valueIn(reading) ?? record;
  const links = current.finalizers.map((finalizer) =>
    finalizerLink(inquiry, current, finalizer, trail),
  );
  if (isNamespace(current)) links.push(...namespaceLinks(inquiry, current, trail));
  const pod = podLink(inquiry, current);
  if (pod) links.unshift(pod);
  const evidence = evidenceOf(reading, () =>
    current.finalizers.length > 0
      ? `deletionTimestamp ${current.deletionTimestamp}, finalizers ${current.finalizers.join(', ')}`
      : `deletionTimestamp ${current.deletionTimestamp}, no finalizers`,
  );
  if (reading.state === 'unread' && links.length === 0) {
    const because = 'it is being deleted; what blocks it could not be read';
    return link(record, 'unknown', 'unknown', because, {
      evidence,
    });
  }
  const shown = links.flatMap(linksOf);
  const isSaid = ({ because: report }: Link) =>
    shown.some(
      ({ object, because: said }) =>
        said.includes(report) || (isJudge(object) && report.includes(`'${object.name}'`)),
    );
  const homeless = missingNamespaceLink(inquiry, current);
  const because = `its deletion began at ${sinceOf(current)}${links.length === 0 ? '; no finalizer blocks it' : ''}`;
  return link(current, 'terminating', 'waiting', because, {
    rule: 'GC-61',
    evidence,
    since: sinceOf(current),
    links: [
      ...(homeless ? [homeless] : []),
      ...stillYoung(
        homeless && current.finalizers.length > 0 ? links.map(withoutFix) : links,
        current,
        inquiry.now,
      ),
      ...reportLinks(inquiry, current).filter((report) => !isSaid(report)),
      ...attachedBesides(inquiry, current),
      ...reportedEventLinks(inquiry, current, sinceOf(current)),
    ],
  });
}

/** A policy or a configuration of webhooks. */
function isJudge({ apiVersion }: Link['object']): boolean {
  return apiVersion.startsWith(`${policyType.group}/`);
}

/**
 * An object that remained when its namespace was removed by force: the API server changes nothing in a namespace that does not
 * exist, so no finalizer is removed there. It deletes there what has none (NamespaceLifecycle, admission.go). Pod GC and
 * kubelets change the status of a Pod before they delete it (markFailedAndDeletePodWithCondition, gc_controller.go).
 */
function missingNamespaceLink(inquiry: Inquiry, record: ObjectRecord): Link | undefined {
  const { namespace, finalizers } = record;
  const isPodToEnd = isPod(record) && !isPodTerminal(record);
  if (namespace === '' || (finalizers.length === 0 && !isPodToEnd)) return undefined;
  const at = { type: namespaceType, namespace: '', name: namespace };
  const reading = inquiry.ask({ ask: 'object', ...at });
  if (reading.state !== 'read' || reading.value) return undefined;
  if (inquiry.origin !== 'cluster') {
    const all = inquiry.ask({ ask: 'list', type: namespaceType, namespace: undefined });
    if (!showsAllNamespaces(seenIn(all))) return undefined;
  }
  const details = { evidence: presence(reading) };
  const missing = `its namespace ${namespace} does not exist, so the API server`;
  if (finalizers.length === 0) {
    const because = `${missing} refuses the change of its status that comes before its deletion`;
    return link(bareRecord(at), 'namespace-missing', 'blocked', because, {
      ...details,
      command: suggested(
        'To delete it without its kubelet',
        shellCommand`kubectl delete ${addressOf(record)} --grace-period=0 --force`,
      ),
    });
  }
  return link(
    bareRecord(at),
    'namespace-missing',
    'blocked',
    `${missing} removes no finalizer from it`,
    {
      ...details,
      next: 'Create the namespace, remove the finalizers there, and delete the namespace again.',
      command: suggested('To create it', shellCommand`kubectl create namespace ${namespace}`),
    },
  );
}

function withoutFix({ fix: _, ...one }: Link): Link {
  return { ...one, links: one.links.map(withoutFix) };
}

/** A pod's deletionTimestamp lies at the end of its grace period; no deletion is older than its object. */
function sinceOf(record: ObjectRecord): string {
  const { creationTimestamp = '', deletionTimestamp = '', deletionGracePeriodSeconds = 0 } = record;
  const end = Date.parse(deletionTimestamp);
  if (Number.isNaN(end)) return deletionTimestamp;
  const at = end - deletionGracePeriodSeconds * 1000;
  const created = Date.parse(creationTimestamp);
  return timestampOf(created > at && created <= end ? created : at);
}

/** Causes that a running controller resolves within moments; until then, nothing is wrong. */
const soon = new Set<Cause>([
  'foreground-lost',
  'orphaning',
  'orphaning-lost',
  'dependent-not-collected',
  'object-left',
  'claim-unused',
  'volume-unbound',
  'job-tracking',
  'no-instances-left',
  'namespace-empty',
  'node-gone',
  'in-use',
  'volume-retained',
]);

/**
 * A deletion that has just begun is not reported as stuck while its controllers still have time to
 * act.
 */
function stillYoung(links: readonly Link[], record: ObjectRecord, now: number): Link[] {
  if (!isYoung(record, now)) return [...links];
  const seconds = Math.round((now - Date.parse(record.deletionTimestamp ?? '')) / 1000);
  return links.map((one) => calmed(one, Math.max(0, seconds)));
}

function calmed(one: Link, seconds: number): Link {
  const links = one.links.map((next) => calmed(next, seconds));
  if (one.state !== 'blocked' || !soon.has(one.cause)) return { ...one, links };
  const { fix: _, ...rest } = one;
  const because = `${one.because}; the deletion began only ${humanDuration(seconds)} ago`;
  return { ...rest, state: 'waiting', because, links };
}

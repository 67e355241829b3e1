import { createHash } from 'node:crypto';
import { inParallel } from '../../cluster/in-parallel.ts';
import { askForAll } from '../../cluster/settings/ask-for.ts';
import { sendWrite } from '../../cluster/write/send-write.ts';
import { ownLabels, type WriteRequest } from '../../cluster/write/write-request.ts';
import { GcError } from '../../errors.ts';
import { millisecondsIn, numberOf, textOrEmpty } from '../../kube/json-value.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { pathWithin } from '../../kube/resource-type.ts';
import { hour, timestampOf } from '../../kube/time.ts';
import { sentenceOf } from '../../output/audit-formats/finding-text.ts';
import type { AuditItem } from '../../output/documents/audit.ts';
import { source } from '../../output/policy-reports.ts';
import type { OpenedCluster } from '../input/session.ts';
import type { Look } from './take-look.ts';

interface WrittenEvents {
  readonly written: number;
  readonly unchanged: number;
  /** Findings whose Event waits for the next run, or has no namespace to be in. */
  readonly left: number;
}

const events = { group: '', version: 'v1', resource: 'events' };
/** An Event is repeated no sooner; one that the API server has dropped meanwhile (--event-ttl, 1h) neither. */
const repeatAfter = 6 * hour;
/** More would be a burden to etcd. */
const mostEvents = 500;
const atOnce = 4;
/** The API server takes no longer ones. */
const longestMessage = 1024;

/**
 * Writes an Event for each finding, at its object. The same finding gets no second one: its count grows, as
 * in client-go's recorder (tools/record/events_cache.go). `told`: when this process wrote them last, by name.
 */
export async function publishEvents(
  { client }: OpenedCluster,
  { audit, isOpen }: Look,
  told: Map<string, number>,
): Promise<WrittenEvents> {
  const fieldSelector = encodeURIComponent(`source=${source}`);
  const path = `${pathWithin(events)}?fieldSelector=${fieldSelector}&limit=500`;
  const { items, problem } = await askForAll(client, path, 'list events', 'events');
  if (problem) throw new GcError(problem.message, { code: 'events-unread' });
  const before = new Map(items.map((event) => [textOrEmpty(event.metadata.name), event]));
  const now = Date.now();
  const findings = audit.items.filter(
    ({ status, object }) => status === 'new' && object.uid !== '',
  );
  const possible = findings.filter(({ object }) => isOpen(namespaceOf(object)));
  const due = possible.filter((item) => {
    const name = nameOf(item);
    const last = before.get(name)?.lastTimestamp;
    return now - Math.max(told.get(name) ?? 0, millisecondsIn(last) ?? 0) >= repeatAfter;
  });
  const chosen = due.slice(0, mostEvents);
  await inParallel(chosen, atOnce, async (item) => {
    const name = nameOf(item);
    const answer = await sendWrite(client, writeOf(item, name, before.get(name), now));
    // Its namespace or the Event has gone since it was read, or an earlier try had its effect.
    if (answer.outcome !== 'done' && ![404, 409].includes(answer.code)) {
      const { kind, namespace, name: object } = item.object;
      const where = namespace === '' ? '' : ` in ${namespace}`;
      throw new GcError(
        `cannot write an Event about ${kind} ${object}${where}: ${answer.message}`,
        {
          code: 'event-refused',
          suggestions: ['kubectl gc rbac report --with events shows what it must be permitted.'],
        },
      );
    }
    told.set(name, now);
  });
  const left = findings.length - possible.length + due.length - chosen.length;
  return { written: chosen.length, unchanged: possible.length - due.length, left };
}

/** The same for the same finding about the same object. */
function nameOf({ object, fingerprint }: AuditItem): string {
  const hash = createHash('sha256').update(`${object.uid} ${fingerprint}`).digest('hex');
  return `${source}.${hash.slice(0, 16)}`;
}

/** Events about cluster-scoped objects stand in this one, as client-go's recorder has it. */
function namespaceOf({ namespace }: AuditItem['object']): string {
  return namespace || 'default';
}

function writeOf(
  item: AuditItem,
  name: string,
  there: KubeObject | undefined,
  now: number,
): WriteRequest {
  const namespace = namespaceOf(item.object);
  const message = messageOf(item);
  const lastTimestamp = timestampOf(now);
  if (there) {
    const count = (numberOf(there.count) ?? 1) + 1;
    const guards = { uid: textOrEmpty(there.metadata.uid) };
    const body = { count, lastTimestamp, message };
    return {
      verb: 'patch',
      path: pathWithin(events, namespace, name),
      patchType: 'merge',
      body,
      guards,
    };
  }
  const { apiVersion, kind, name: object, uid } = item.object;
  const involved = { apiVersion, kind, name: object, uid };
  const body = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace, labels: ownLabels },
    involvedObject: { ...involved, ...(item.object.namespace && { namespace }) },
    reason: reasonOf(item.rule),
    message,
    type: item.severity === 'info' ? 'Normal' : 'Warning',
    source: { component: source },
    reportingComponent: source,
    reportingInstance: source,
    firstTimestamp: lastTimestamp,
    lastTimestamp,
    count: 1,
  };
  return { verb: 'create', path: pathWithin(events, namespace), body };
}

/** `missing-owner` as Events write reasons: `MissingOwner`. */
function reasonOf(rule: string): string {
  return rule.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function messageOf(item: AuditItem): string {
  const text = sentenceOf(item);
  return text.length > longestMessage ? `${text.slice(0, longestMessage - 1)}…` : text;
}

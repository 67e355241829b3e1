import { builtInTypes } from '../../kube/built-in-types.ts';
import { compareText } from '../../kube/names.ts';
import type { OwnerReference } from '../../kube/object-record.ts';
import { apiVersionOf } from '../../kube/resource-type.ts';
import type { ObjectEvent } from '../../programs/object-event.ts';
import type { History, Lifetime } from './history.ts';
import type { Step } from './link.ts';
import type { RemovalEvidence } from './removal.ts';
import { jobStopOf } from './stopped-by-job.ts';

/** Events that say that the object they are about is deleted: by reason, who deletes it. */
const aboutObject: Readonly<Record<string, string>> = {
  DeletingNode: 'cloud-node-lifecycle-controller',
  DeviceTaintManagerEviction: 'device-taint-eviction-controller',
  OwnerRefInvalidNamespace: 'garbage-collector-controller',
  Preempted: 'kube-scheduler',
  TaintManagerEviction: 'taint-eviction-controller',
};

/** What Events report of a deletion that no request of a log shows; undefined if they report nothing about it. */
export function eventStep(history: History, lifetime: Lifetime): Step | undefined {
  const { place, uid } = lifetime;
  const object = history.referenceTo(place, uid);
  const named = [
    ...history.events.about(object).filter(({ reason }) => reason in aboutObject),
    ...deletionsReported(history, lifetime),
  ];
  const event = newest(named);
  if (!event) return undefined;
  const { reason, reportedBy, time, message } = event;
  const owner = ownerReported(event);
  const stop = owner && jobStopOf(history, lifetime, owner, Date.parse(time));
  return {
    links: [
      {
        object,
        cause: 'controller',
        certainty: 'seen',
        at: time,
        controller: aboutObject[reason] ?? reportedBy,
        because: `${reportedBy} reported ${reason}: ${message}`,
        ...stop,
        evidence: [eventEvidence(event)],
      },
    ],
  };
}

/** The controlling owner of an object, whose controller reported that it deleted the object. */
export function reportedOwner(history: History, lifetime: Lifetime): OwnerReference | undefined {
  const event = newest(deletionsReported(history, lifetime));
  return event && ownerReported(event);
}

/** An owner reference into another namespace, and the Event by which the garbage collector reports it. */
export interface ReportedReference {
  readonly owner: OwnerReference;
  readonly time: number;
  readonly evidence: RemovalEvidence;
}

/** It names one reference of possibly several (reportInvalidNamespaceOwnerRef, garbagecollector/graph_builder.go). */
export function reportedReference(
  history: History,
  { place, uid }: Lifetime,
): ReportedReference | undefined {
  const about = history.events.about(history.referenceTo(place, uid));
  const event = newest(about.filter(({ reason }) => reason === 'OwnerRefInvalidNamespace'));
  const named =
    event &&
    /^ownerRef \[([^,]*)\/([^/,]+), namespace: [^,]*, name: ([^,]+), uid: ([^,\]]*)\]/.exec(
      event.message,
    );
  if (!named) return undefined;
  const [, apiVersion = '', kind = '', name = '', ownerUid = ''] = named;
  return {
    owner: {
      ...{ apiVersion, kind, name, uid: ownerUid },
      controller: undefined,
      blockOwnerDeletion: undefined,
    },
    time: Date.parse(event.time),
    evidence: eventEvidence(event),
  };
}

function deletionsReported(history: History, { place, uid }: Lifetime): ObjectEvent[] {
  const { kind } = history.referenceTo(place, uid);
  return history.reportedDeletions.filter(
    ({ about, message }) =>
      about.namespace === place.namespace &&
      message.split(/[\s:,]+/).includes(place.name) &&
      // `delete Pod kafka-1 in StatefulSet kafka successful` is about the StatefulSet, which deleted the Pod.
      !(about.kind === kind && about.name === place.name),
  );
}

function newest(events: readonly ObjectEvent[]): ObjectEvent | undefined {
  return events.toSorted((a, b) => compareText(a.time, b.time)).at(-1);
}

function ownerReported({ reason, about: { kind, name, uid } }: ObjectEvent) {
  const type = reason in aboutObject ? undefined : builtInTypes.find((one) => one.kind === kind);
  if (!type) return undefined;
  const own = { controller: true, blockOwnerDeletion: true };
  return { apiVersion: apiVersionOf(type), kind, name, uid, ...own };
}

function eventEvidence({ about, reason, reportedBy, time }: ObjectEvent): RemovalEvidence {
  const { kind, namespace, name } = about;
  return { kind: 'event', about: { kind, namespace, name }, reason, source: reportedBy, at: time };
}

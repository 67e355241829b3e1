import { compareText } from '../../kube/names.ts';
import type { ObjectEvent } from '../../kube/object-event.ts';
import type { History } from './history.ts';
import type { Lifetime } from './lifetime.ts';
import type { Step } from './step.ts';

/** Events that say that the object they are about is deleted: by reason, who deletes it. */
const aboutObject: Readonly<Record<string, string>> = {
  DeletingNode: 'cloud-node-lifecycle-controller',
  DeviceTaintManagerEviction: 'device-taint-eviction-controller',
  OwnerRefInvalidNamespace: 'garbage-collector-controller',
  Preempted: 'kube-scheduler',
  TaintManagerEviction: 'taint-eviction-controller',
};

/** What Events report of a deletion that no request of a log shows; undefined if they report nothing about it. */
export function eventStep(history: History, { place, uid }: Lifetime): Step | undefined {
  const object = history.referenceTo(place, uid);
  const isNamed = ({ about, message }: ObjectEvent) =>
    about.namespace === place.namespace && message.split(/[\s:,]+/).includes(place.name);
  const told = [
    ...history.events.about(object).filter(({ reason }) => reason in aboutObject),
    ...history.reportedDeletions.filter(isNamed),
  ];
  const event = told.toSorted((a, b) => compareText(a.time, b.time)).at(-1);
  if (!event) return undefined;
  const { reason, reportedBy, time, message } = event;
  const { kind, namespace, name } = event.about;
  const about = { kind, namespace, name };
  return {
    links: [
      {
        object,
        cause: 'controller',
        certainty: 'seen',
        at: time,
        controller: aboutObject[reason] ?? reportedBy,
        because: `${reportedBy} reported ${reason}: ${message}`,
        evidence: [{ kind: 'event', about, reason, source: reportedBy, at: time }],
      },
    ],
  };
}

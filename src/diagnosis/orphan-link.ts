import { type ObjectRecord, ORPHAN } from '../kube/object-record.ts';
import { isMonitored } from '../kube/resource-type.ts';
import { controllerManagerLink } from './controller-manager-link.ts';
import { evidenceOf } from './evidence.ts';
import { removeFinalizer } from './fix-step.ts';
import type { Inquiry } from './inquiry.ts';
import { type Link, link } from './link.ts';
import { rehearseDeletion } from './rehearsal-links.ts';
import { unreadKindLinks } from './unread-kind-links.ts';

/** orphan: dependents that still refer to the object, or that none does (GC-37). */
export function orphanLink(inquiry: Inquiry, record: ObjectRecord): Link {
  const reading = inquiry.ask({ ask: 'content', namespace: undefined });
  const dependents =
    reading.state === 'read'
      ? reading.value.records.filter(
          ({ type, ownerReferences }) =>
            isMonitored(type) && ownerReferences.some(({ uid }) => uid === record.uid),
        )
      : [];
  const evidence = evidenceOf(
    reading,
    ({ records }) => `${records.length} objects read, ${dependents.length} refer to it`,
  );
  const manager = controllerManagerLink(inquiry, 'garbage collector');
  const details = { finalizer: ORPHAN, rule: 'GC-37' };
  if (dependents.length > 0) {
    const refusals = dependents
      .slice(0, 3)
      .flatMap((one) => rehearseDeletion(inquiry, one).refusal ?? []);
    const isClear = manager.state === 'fine' && refusals.length === 0;
    return link(
      record,
      'orphaning',
      isClear ? 'blocked' : 'waiting',
      `orphan waits until the collector has taken the references of ${dependents.length} ${dependents.length === 1 ? 'dependent' : 'dependents'} off`,
      {
        ...details,
        evidence,
        links: [...refusals, manager],
        next: 'Look at the collector with kubectl gc why --gc.',
      },
    );
  }
  const unread = reading.state === 'read' ? reading.value.unread : undefined;
  if (unread === undefined || unread.length > 0) {
    return link(
      record,
      'orphaning',
      'unknown',
      'orphan waits for dependents; not all kinds could be read',
      {
        ...details,
        evidence,
        links: unreadKindLinks(inquiry, unread ?? []),
      },
    );
  }
  const isDown = manager.state === 'blocked';
  return link(
    record,
    'orphaning-lost',
    isDown ? 'waiting' : 'blocked',
    'no object refers to it any more, but the garbage collector has not taken orphan off',
    {
      ...details,
      evidence,
      links: [manager],
      next: 'Take the finalizer off: there is nothing left to orphan.',
      fix: isDown ? undefined : removeFinalizer(record, ORPHAN, 'none known: nothing refers to it'),
    },
  );
}

import { eventType } from '../../kube/core-types.ts';
import { textAt } from '../../kube/field-at.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { deepest, type Link, link } from '../chain.ts';
import { evidenceOf, type Inquiry, readAllWhole } from '../inquiry.ts';
import { judgeByAsking } from './judge-by-asking.ts';

/**
 * An object that is not being deleted: what keeps it, up to the roots, and what the garbage
 * collector would do.
 */
export function liveLink(
  inquiry: Inquiry,
  record: ObjectRecord,
  way: readonly string[] = [],
): Link {
  const { judgement, owners, evidence } = judgeByAsking(inquiry, record);
  const { action, because, rule, references } = judgement;
  const links = eventLinks(inquiry, record, way);
  switch (action) {
    case 'unowned':
      return link(record, 'unowned', 'holds', 'it has no owner, so it lives until it is deleted', {
        rule,
        evidence,
        links,
      });
    case 'keep':
    case 'patch': {
      const solid = references.filter((reference) => reference.class === 'solid');
      const above = owners.filter(
        ({ uid }) => solid.some(({ reference }) => reference.uid === uid) && !way.includes(uid),
      );
      const next =
        way.length >= deepest
          ? []
          : above.map((owner) => liveLink(inquiry, owner, [...way, record.uid]));
      return link(record, 'owned', 'holds', because, {
        rule,
        evidence,
        links: [...next, ...links],
        next:
          action === 'patch'
            ? 'The collector removes the references that are not solid on its next pass.'
            : '',
      });
    }
    case 'delete':
      return link(
        record,
        'collectable',
        'waiting',
        `the garbage collector deletes it on its next pass: ${because}`,
        {
          rule,
          evidence,
          links,
          next: 'To keep it, remove its ownerReferences now.',
        },
      );
    case 'frozen':
      return link(record, 'frozen', 'holds', because, {
        rule,
        evidence,
        links,
        next: 'kubectl gc invalid-ownerrefs shows the reference and the fix.',
      });
    case 'ignored':
      return link(record, 'not-watched', 'holds', because, { rule, evidence, links });
    default:
      return link(record, 'unknown', 'unknown', because, { rule, evidence, links });
  }
}

/** Warnings of the garbage collector about this object. */
function eventLinks(inquiry: Inquiry, record: ObjectRecord, way: readonly string[]): Link[] {
  if (inquiry.origin === 'files' || way.length > 0) return [];
  const namespace = record.namespace === '' ? 'default' : record.namespace;
  const fields = `involvedObject.uid=${record.uid},reason=OwnerRefInvalidNamespace`;
  const events = readAllWhole(inquiry.ask({ ask: 'list', type: eventType, namespace, fields }));
  if (events.state !== 'read' || events.value.length === 0) return [];
  const last = events.value.at(-1);
  return [
    link(record, 'event', 'fine', `the collector warned: ${textAt(last, 'message')}`, {
      rule: 'GC-46',
      evidence: evidenceOf(events, (list) => `${list.length} events OwnerRefInvalidNamespace`),
      next: 'kubectl gc invalid-ownerrefs shows the reference and the fix.',
    }),
  ];
}

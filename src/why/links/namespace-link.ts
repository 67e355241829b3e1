import { counted } from '../../kube/counts-by-kind.ts';
import { fieldAt, listAt, textAt } from '../../kube/json-value.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { printedKindOf } from '../../kube/resource-type.ts';
import { isPod, specFinalizersOf } from '../../kube/well-known-kinds.ts';
import { type Cause, further, type Link, link, type Trail, widest } from '../chain.ts';
import { finalizeNamespace } from '../fix-request.ts';
import { type Evidence, evidenceOf, type Inquiry, readInFull, readWhole } from '../inquiry.ts';
import { removalOf } from '../programs/finalizer-removal.ts';
import { controllerManagerLink, overdueLink } from './program-links.ts';
import { rehearseDeletion } from './refusal-links.ts';
import { unreadKindLinks } from './unreadable-kind-links.ts';

/** What a namespace's spec.finalizers wait for (GC-71 to GC-76). */
export function namespaceLinks(
  inquiry: Inquiry,
  namespace: ObjectRecord,
  object: KubeObject | undefined,
  trail: Trail,
): Link[] {
  const isRead = fieldAt(object, 'spec') !== undefined;
  const finalizers = isRead
    ? listAt(object, 'spec.finalizers').filter(
        (entry): entry is string => typeof entry === 'string',
      )
    : specFinalizersOf(namespace);
  if (finalizers.length === 0) return [];
  const content = inquiry.ask({ ask: 'content', namespace: namespace.name });
  const evidence: Evidence[] = [
    ...conditionsOf(inquiry, namespace, object),
    ...evidenceOf(content, ({ records, unread }) =>
      [
        countsOf(records),
        unread.length > 0 ? `${counted(unread.length, 'kind')} could not be read` : '',
      ]
        .filter(Boolean)
        .join('; '),
    ),
  ];
  const details = { rule: 'GC-72', evidence, finalizer: 'kubernetes' };
  if (content.state !== 'read') {
    return [
      link(
        namespace,
        'namespace-unread',
        'unknown',
        'what is left in the namespace could not be read',
        details,
      ),
    ];
  }
  const { records, unread } = content.value;
  const broken = unreadKindLinks(inquiry, unread);
  const pods = records.filter(isPod);
  // While a pod is left, the namespace controller touches nothing else.
  const held = pods.length > 0 ? pods : records;
  if (held.length > 0) {
    const cause: Cause = pods.length > 0 ? 'namespace-pods' : 'namespace-content';
    const followed = held
      .toSorted(stuckFirst)
      .slice(0, widest)
      .map((one) => leftLink(inquiry, one, trail));
    const why =
      pods.length > 0
        ? `${pods.length} ${pods.length === 1 ? 'pod is' : 'pods are'} left; nothing else is deleted before they are gone`
        : `${countsOf(records)} ${records.length === 1 ? 'is' : 'are'} left in it`;
    return [
      link(namespace, cause, 'waiting', why, { ...details, links: [...followed, ...broken] }),
    ];
  }
  if (broken.length > 0) {
    return [
      link(
        namespace,
        'namespace-unread',
        'waiting',
        'nothing is left in what could be read, but the namespace controller finishes only when every kind could be listed',
        {
          ...details,
          rule: 'GC-74',
          links: broken,
        },
      ),
    ];
  }
  if (!isRead) return [finalizersUnread(inquiry, namespace, evidence)];
  return finalizers.map((finalizer) => empty(inquiry, namespace, finalizers, finalizer, evidence));
}

function finalizersUnread(
  inquiry: Inquiry,
  record: ObjectRecord,
  evidence: readonly Evidence[],
): Link {
  const { type, name } = record;
  const reading = readWhole(inquiry.ask({ ask: 'object', type, namespace: '', name }));
  return link(
    record,
    'namespace-unread',
    'unknown',
    'nothing is left in it, but which entries its spec.finalizers still hold was not read',
    {
      rule: 'GC-71',
      evidence: [...evidence, ...evidenceOf(reading, () => 'has no spec')],
      next: readInFull,
    },
  );
}

function empty(
  inquiry: Inquiry,
  namespace: ObjectRecord,
  finalizers: readonly string[],
  finalizer: string,
  evidence: readonly Evidence[],
): Link {
  const fix = finalizeNamespace(
    namespace,
    finalizers.filter((other) => other !== finalizer),
    finalizer,
  );
  if (finalizer !== 'kubernetes') {
    const removal = removalOf(inquiry, namespace, finalizer, false);
    const what = `nothing is left in it, but its spec.finalizers hold ${finalizer}, which a program has to remove`;
    return link(
      namespace,
      'namespace-finalizer',
      removal.running === undefined ? 'blocked' : 'unknown',
      [what, ...(removal.running === undefined ? [] : [removal.running]), ...removal.reasons].join(
        '; ',
      ),
      {
        rule: 'GC-71',
        finalizer,
        evidence: [...evidence, ...removal.evidence],
        next: `Find out which program removes ${finalizer}. When it is gone for good, remove the entry through the finalize subresource.`,
        fix: removal.verdict === 'removable' ? fix : undefined,
      },
    );
  }
  return overdueLink(inquiry, namespace, 'namespace-empty', {
    controller: 'namespace controller',
    because:
      'nothing is left in it and every kind could be read, but the namespace controller has not finished it',
    rule: 'GC-71',
    finalizer,
    evidence,
    next: 'It tries again within a minute. If it does not, remove the entry through the finalize subresource.',
    fix,
  });
}

/** Something that is left in a namespace. */
function leftLink(inquiry: Inquiry, record: ObjectRecord, trail: Trail): Link {
  if (isBeingDeleted(record)) return trail.follow(record, further(trail, record));
  const { refusal, evidence } = rehearseDeletion(inquiry, record);
  const manager = controllerManagerLink(inquiry, 'namespace controller');
  return link(
    record,
    'object-left',
    refusal || manager.state === 'blocked' ? 'waiting' : 'blocked',
    `it is not deleted yet${refusal ? '' : ': the namespace controller has not reached it, or waits for something else first'}`,
    { rule: 'GC-72', evidence, links: refusal ? [refusal] : [manager] },
  );
}

/** What will not go by itself comes first, then by kind and name. */
function stuckFirst(a: ObjectRecord, b: ObjectRecord): number {
  const held = Number(b.finalizers.length > 0) - Number(a.finalizers.length > 0);
  if (held !== 0) return held;
  const [first, second] = [
    `${printedKindOf(a.type)}/${a.name}`,
    `${printedKindOf(b.type)}/${b.name}`,
  ];
  return first < second ? -1 : first > second ? 1 : 0;
}

function countsOf(records: readonly ObjectRecord[]): string {
  const counts = new Map<string, number>();
  for (const { type } of records) {
    const kind = printedKindOf(type);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const kinds = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, count]) => `${count} ${kind}`);
  return kinds.length === 0 ? 'nothing' : kinds.join(', ');
}

/**
 * The conditions that say something is wrong; for these, True is bad. They say what the namespace
 * controller found when it last looked, which may be long ago.
 */
function conditionsOf(
  inquiry: Inquiry,
  namespace: ObjectRecord,
  object: KubeObject | undefined,
): Evidence[] {
  const reading = inquiry.ask({
    ask: 'object',
    type: namespace.type,
    namespace: '',
    name: namespace.name,
  });
  const told = listAt(object, 'status.conditions')
    .filter((entry) => textAt(entry, 'status') === 'True')
    .map((entry) => {
      const since = textAt(entry, 'lastTransitionTime') || 'an unknown time';
      return `the namespace controller reported ${textAt(entry, 'type')} at ${since}: ${textAt(entry, 'message')}`;
    });
  return told.length === 0 ? [] : evidenceOf(reading, () => told.join('; '));
}

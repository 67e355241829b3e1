import type { OwnerReference } from '../../kube/object-record.ts';
import { timestampOf } from '../../kube/time.ts';
import type { AuditedRequest } from '../audited-request.ts';
import type { History, Lifetime } from './history.ts';
import { clockSkew } from './lifetimes.ts';
import { evidenceOf } from './link.ts';
import type { RemovalEvidence } from './removal.ts';

/** The owners of an object when its deletion began, and whether a request whose body is not in the log may have changed them. */
export interface KnownOwners {
  readonly owners: readonly OwnerReference[];
  /** What names them. */
  readonly evidence: readonly RemovalEvidence[];
  readonly mayHaveChanged: boolean;
}

/** As the last request that names them says, else a snapshot or a backup; none where nothing does. */
export function ownersOf(history: History, lifetime: Lifetime): KnownOwners {
  const { changes, creation, deletions } = lifetime;
  const until = deletions[0]?.answeredAt ?? Number.POSITIVE_INFINITY;
  const earlier = changes.filter(({ answeredAt }) => answeredAt <= until);
  const isUnread = ({ hasBody }: AuditedRequest) => !hasBody;
  const at = earlier.findLastIndex(({ body }) => body?.owners !== undefined);
  const body = earlier[at];
  if (body) return namedBy(body, earlier.slice(at + 1).some(isUnread));
  if (creation?.hasBody && !earlier.some(isUnread)) return namedBy(creation, false);
  const last = shownLast(history, lifetime);
  const generated = last ? undefined : history.index.generatedAt(lifetime.place);
  if (generated && generated.receivedAt <= until) return namedBy(generated, true);
  if (!last) return { owners: [], evidence: [], mayHaveChanged: true };
  const { at: shownAt, owners, evidence, mightBeAnother = false } = last;
  const since = earlier.filter(({ receivedAt }) => receivedAt >= shownAt - clockSkew);
  return { owners, evidence: [evidence], mayHaveChanged: mightBeAnother || since.some(isUnread) };
}

interface Shown {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly owners: readonly OwnerReference[];
  readonly evidence: RemovalEvidence;
  readonly mightBeAnother?: boolean | undefined;
}

/** A snapshot, or a backup: the later one, where both are of this object. */
function shownLast(history: History, { place, uid, record }: Lifetime): Shown | undefined {
  const saved = history.backups.of(history.referenceTo(place, uid));
  const backup = saved && {
    at: Date.parse(saved.at),
    owners: saved.owners,
    evidence: { kind: 'backup', path: saved.path, at: saved.at } as const,
    mightBeAnother: saved.mightBeAnother,
  };
  if (!record) return backup;
  const look = [history.before, history.after].find((one) => one?.find(place) === record);
  const at = look?.at ?? 0;
  if (backup && !backup.mightBeAnother && backup.at > at) return backup;
  const evidence = { kind: 'snapshot', at: timestampOf(at) } as const;
  return { at, owners: record.ownerReferences, evidence };
}

function namedBy(request: AuditedRequest, mayHaveChanged: boolean): KnownOwners {
  const owners = request.body?.owners ?? [];
  return { owners, evidence: [evidenceOf(request)], mayHaveChanged };
}

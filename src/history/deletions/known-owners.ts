import type { OwnerReference } from '../../kube/object-record.ts';
import { timestampOf } from '../../kube/time.ts';
import type { AuditedRequest } from '../audited-request.ts';
import type { History } from './history.ts';
import type { Lifetime } from './lifetime.ts';
import { clockSkew } from './lifetimes.ts';
import { evidenceOf } from './link.ts';
import type { RemovalEvidence } from './removal.ts';

/** The owners of an object when its deletion began, and whether a request whose body is not in the log may have changed them. */
export interface KnownOwners {
  readonly owners: readonly OwnerReference[];
  /** The request or the snapshot that names them. */
  readonly evidence: readonly RemovalEvidence[];
  readonly mayHaveChanged: boolean;
}

/** As the last request that names them says, else a snapshot; none where nothing does. */
export function ownersOf(history: History, lifetime: Lifetime): KnownOwners {
  const { changes, creation, record, deletions } = lifetime;
  const until = deletions[0]?.answeredAt ?? Number.POSITIVE_INFINITY;
  const earlier = changes.filter(({ answeredAt }) => answeredAt <= until);
  const isUnread = ({ hasBody }: AuditedRequest) => !hasBody;
  const at = earlier.findLastIndex(({ body }) => body?.owners !== undefined);
  const told = earlier[at];
  if (told) return namedBy(told, earlier.slice(at + 1).some(isUnread));
  if (creation?.hasBody && !earlier.some(isUnread)) return namedBy(creation, false);
  if (!record) return { owners: [], evidence: [], mayHaveChanged: true };
  const seen = [history.before, history.after].find((one) => one?.find(lifetime.place) === record);
  const readAt = seen?.at ?? 0;
  const since = earlier.filter(({ receivedAt }) => receivedAt >= readAt - clockSkew);
  return {
    owners: record.ownerReferences,
    evidence: [{ kind: 'snapshot', at: timestampOf(readAt) }],
    mayHaveChanged: since.some(isUnread),
  };
}

function namedBy(request: AuditedRequest, mayHaveChanged: boolean): KnownOwners {
  const owners = request.body?.owners ?? [];
  return { owners, evidence: [evidenceOf(request)], mayHaveChanged };
}

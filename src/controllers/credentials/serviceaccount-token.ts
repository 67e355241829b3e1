import { serviceAccountTokenType as tokenType } from '../../kube/facts/secret.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Decision, SyncedController, SyncInput } from '../controller.ts';
import { deletion, nextSync } from '../decision.ts';

const id = 'serviceaccount-token';
/** Names the ServiceAccount that a token is of. */
export const accountAnnotation = 'kubernetes.io/service-account.name';

/** The Secret of a token is deleted after its ServiceAccount (SAT-5). */
export const serviceAccountToken: SyncedController = {
  id,
  controllers: ['serviceaccount-token-controller'],
  reads: ['secrets', 'serviceaccounts'],
  syncers: [{ runsAs: 'serviceaccount-token-controller', syncs: 'secrets', sync: deleteStray }],
};

export function tokensIn(view: ClusterView): ObjectRecord[] {
  return view.all('secrets').filter(({ facts }) => facts?.secretType === tokenType);
}

/** The ServiceAccount that a token names, if it is the one that it was made for. */
export function serviceAccountOf(view: ClusterView, { namespace, annotations }: ObjectRecord) {
  const name = annotations?.[accountAnnotation];
  const uid = annotations?.['kubernetes.io/service-account.uid'];
  const found = name === undefined ? undefined : view.at('serviceaccounts', namespace, name);
  const account = found && (!uid || uid === found.uid) ? found : undefined;
  const isRead = found !== undefined || view.covers('serviceaccounts', namespace, name ?? '');
  return { name, account, isRead };
}

function deleteStray(secret: ObjectRecord, { view, now }: SyncInput): Decision[] {
  if (secret.facts?.secretType !== tokenType || isBeingDeleted(secret)) return [];
  const { name, account, isRead } = serviceAccountOf(view, secret);
  if (account || !isRead || name === undefined) return [];
  return [
    deletion(id, secret, {
      ...nextSync(now),
      options: { uid: secret.uid },
      because: `its ServiceAccount ${name} was deleted or recreated`,
      rule: 'SAT-5',
    }),
  ];
}

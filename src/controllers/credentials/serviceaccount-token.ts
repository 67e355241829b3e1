import { serviceAccountTokenType as tokenType } from '../../kube/facts/secret.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { type ClusterView, type Keys, ownName } from '../cluster-view.ts';
import type { Decision, SyncedController, SyncInput } from '../controller.ts';
import { deletion, nextSync } from '../decision.ts';

/** Names the ServiceAccount that a token is of. */
export const accountAnnotation = 'kubernetes.io/service-account.name';

const keys: Keys = { secrets: accountNameOf, serviceaccounts: ownName };

/** The Secret of a token is deleted after its ServiceAccount (SAT-5). */
export const serviceAccountToken: SyncedController = {
  id: 'serviceaccount-token',
  controllers: ['serviceaccount-token-controller'],
  reads: ['secrets', 'serviceaccounts'],
  syncers: [
    {
      runsAs: 'serviceaccount-token-controller',
      syncs: 'secrets',
      sync: deleteStray,
      needsSync: (secret) => isToken(secret) && !isBeingDeleted(secret),
      keys,
      // Only another uid makes a difference to a token.
      triggers: ({ before, after }) => !before || !after,
      links: keys,
    },
  ],
};

/** The ServiceAccount that a token is of. */
function accountNameOf(secret: ObjectRecord): readonly string[] {
  const account = secret.annotations?.[accountAnnotation];
  return isToken(secret) && account !== undefined ? [`${secret.namespace}/${account}`] : [];
}

export function isToken({ facts }: ObjectRecord): boolean {
  return facts?.secretType === tokenType;
}

export function tokensIn(view: ClusterView): ObjectRecord[] {
  return view.all('secrets').filter(isToken);
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
  if (!isToken(secret) || isBeingDeleted(secret)) return [];
  const { name, account, isRead } = serviceAccountOf(view, secret);
  if (account || !isRead || name === undefined) return [];
  return [
    deletion(serviceAccountToken.id, secret, {
      ...nextSync(now),
      options: { uid: secret.uid },
      because: `its ServiceAccount ${name} was deleted or recreated`,
      rule: 'SAT-5',
    }),
  ];
}

import { bootstrapTokenCleaner } from '../../controllers/credentials/bootstrap-token-cleaner.ts';
import { serviceAccountToken } from '../../controllers/credentials/serviceaccount-token.ts';
import {
  bootstrapTokenType,
  serviceAccountTokenType as tokenType,
} from '../../kube/facts/secret.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { IndexKind } from './indexes.ts';
import { affectedByName, decidedBy, type KeyedController } from './keyed-controller.ts';

const secrets = 'secrets';
const accounts = 'serviceaccounts';
const tokensByAccount: IndexKind = { resource: secrets, keysOf: linksOf };

/** Tokens go with their ServiceAccount (SAT-5). */
const accountTokens: KeyedController = {
  id: serviceAccountToken.id,
  controller: 'serviceaccount-token-controller',
  kinds: [secrets],
  reads: [secrets, accounts],
  concerns: (secret) => secret.facts?.secretType === tokenType && !isBeingDeleted(secret),
  // Nothing but another uid makes a difference to a token.
  affected: (change, cluster) =>
    change.before && change.after ? [] : affectedByName(tokensByAccount)(change, cluster),
  decide: decidedBy(serviceAccountToken),
  linksOf,
};

/** BT-1. */
const bootstrapTokens: KeyedController = {
  id: bootstrapTokenCleaner.id,
  controller: 'token-cleaner-controller',
  kinds: [secrets],
  reads: [secrets],
  concerns: ({ namespace, facts }) =>
    facts?.secretType === bootstrapTokenType && namespace === 'kube-system',
  decide: decidedBy(bootstrapTokenCleaner),
};

export const tokenControllers: readonly KeyedController[] = [accountTokens, bootstrapTokens];

/** A ServiceAccount and its tokens. */
function linksOf({ type, namespace, name, annotations, facts }: ObjectRecord): readonly string[] {
  if (type.kind === 'ServiceAccount') return [`${namespace}/${name}`];
  const account = annotations?.['kubernetes.io/service-account.name'];
  const isToken = type.kind === 'Secret' && facts?.secretType === tokenType;
  return isToken && account !== undefined ? [`${namespace}/${account}`] : [];
}

import { bootstrapTokenType } from '../../kube/facts/secret.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { Decision, SyncedController, SyncInput } from '../controller.ts';
import { deletion } from '../decision.ts';

/** Tokens for joining nodes go when they expire; one whose time cannot be read has expired (BT-1). */
export const bootstrapTokenCleaner: SyncedController = {
  id: 'bootstrap-token-cleaner',
  controllers: ['token-cleaner-controller'],
  reads: ['secrets'],
  syncers: [
    { runsAs: 'token-cleaner-controller', syncs: 'secrets', sync: expire, needsSync: isToken },
  ],
};

function isToken({ namespace, facts }: ObjectRecord): boolean {
  return namespace === 'kube-system' && facts?.secretType === bootstrapTokenType;
}

function expire(secret: ObjectRecord, { now }: SyncInput): Decision[] {
  const { expiration } = secret.facts ?? {};
  if (!isToken(secret) || expiration === undefined || isBeingDeleted(secret)) return [];
  const parsed = Date.parse(expiration);
  const at = Number.isNaN(parsed) ? now : Math.max(now, parsed);
  const because = Number.isNaN(parsed)
    ? 'its expiration is not a time, which counts as expired'
    : `its expiration is ${expiration}`;
  const options = { uid: secret.uid };
  return [
    deletion(bootstrapTokenCleaner.id, secret, {
      notBefore: at,
      notAfter: at,
      options,
      because,
      rule: 'BT-1',
    }),
  ];
}

import { bootstrapTokenType } from '../../kube/facts/secret.ts';
import { isBeingDeleted } from '../../kube/object-record.ts';
import type { Controller } from '../controller.ts';
import { deletion } from '../decision.ts';

const id = 'bootstrap-token-cleaner';

/** Tokens for joining nodes go when they expire; one whose time cannot be read has expired (BT-1). */
export const bootstrapTokenCleaner: Controller = {
  id,
  controllers: ['token-cleaner-controller'],
  reads: ['secrets'],
  decide: (view, _settings, now) =>
    view.in('secrets', 'kube-system').flatMap((secret) => {
      const { secretType, expiration } = secret.facts ?? {};
      if (secretType !== bootstrapTokenType || expiration === undefined || isBeingDeleted(secret))
        return [];
      const parsed = Date.parse(expiration);
      const at = Number.isNaN(parsed) ? now : Math.max(now, parsed);
      const because = Number.isNaN(parsed)
        ? 'its expiration is not a time, which counts as expired'
        : `its expiration is ${expiration}`;
      return [
        deletion(id, secret, {
          notBefore: at,
          notAfter: at,
          options: { uid: secret.uid },
          because,
          rule: 'BT-1',
        }),
      ];
    }),
};

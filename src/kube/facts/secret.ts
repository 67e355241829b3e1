import { bytesOf, type Json, jsonOf } from '../json-value.ts';

/** Nothing else of a Secret is ever kept. */
export interface SecretFacts {
  /** `type`; of a Secret in a cluster, of tokens for service accounts and for joining nodes only. */
  readonly secretType?: string;
  /** Bootstrap token: when it ends, RFC 3339; `unreadable` counts as ended (BT-1). */
  readonly expiration?: string;
}

export const serviceAccountTokenType = 'kubernetes.io/service-account-token';
export const bootstrapTokenType = 'bootstrap.kubernetes.io/token';
/** Stands for whatever was written instead of a time: it could be anything. */
const unreadable = 'unreadable';

export function readSecretFacts(secret: Json): SecretFacts | undefined {
  const { type } = secret;
  if (typeof type !== 'string') return undefined;
  return type === bootstrapTokenType ? bootstrapTokenFacts(secret) : { secretType: type };
}

function bootstrapTokenFacts(secret: Json): SecretFacts {
  const secretType = bootstrapTokenType;
  const encoded = jsonOf(secret.data)?.expiration;
  const decoded = typeof encoded === 'string' ? (bytesOf(encoded) ?? unreadable) : undefined;
  const written = jsonOf(secret.stringData)?.expiration ?? decoded;
  if (typeof written !== 'string' || written === '') return { secretType };
  return { secretType, expiration: isTime(written) ? written : unreadable };
}

export function printSecretFacts(
  { secretType, expiration }: SecretFacts,
  secret: Record<string, unknown>,
): void {
  if (secretType !== undefined) secret.type = secretType;
  if (expiration !== undefined) secret.data = { expiration: btoa(expiration) };
}

const rfc3339 =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.,]\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Only a time matches, so that no other data gets into a fact. */
function isTime(text: string): boolean {
  const [, year, month, day] = rfc3339.exec(text) ?? [];
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
}

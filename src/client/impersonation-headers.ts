import type { Impersonation } from './kubeconfig.ts';

/**
 * The headers of an impersonated request; a value per group and per extra, sent as repeated lines.
 * The server must get all of them or none: any of them without a user name is refused beforehand.
 */
export function impersonationHeaders(
  impersonation: Impersonation,
): Readonly<Record<string, string | string[]>> {
  if (impersonation.user === '') return {};
  const headers: Record<string, string | string[]> = {
    'Impersonate-User': headerValue(impersonation.user),
  };
  if (impersonation.uid !== '') headers['Impersonate-Uid'] = headerValue(impersonation.uid);
  if (impersonation.groups.length > 0)
    headers['Impersonate-Group'] = impersonation.groups.map(headerValue);
  for (const [key, values] of Object.entries(impersonation.extra)) {
    if (values.length > 0)
      headers[`Impersonate-Extra-${escapeHeaderKey(key)}`] = values.map(headerValue);
  }
  return headers;
}

/** Node writes a character per byte; kubectl sends UTF-8. */
function headerValue(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Percent-encodes what may not stand in a header's name, `%` included. */
function escapeHeaderKey(key: string): string {
  return Buffer.from(key)
    .toString('latin1')
    .replace(/[^!#$&'*+\-.^_`|~0-9A-Za-z]/g, escapeByte);
}

function escapeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

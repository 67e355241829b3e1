import { X509Certificate } from 'node:crypto';
import type { ClusterClient } from '../cluster/connection/cluster-client.ts';
import { get } from '../cluster/get.ts';
import { parseJsonBody, readBody } from '../cluster/read-body.ts';
import { Clearance } from '../cluster/write/clearance.ts';
import { sendWrite } from '../cluster/write/send-write.ts';
import { fieldsListOf, fieldsOf, textAt } from '../kube/json-value.ts';

/** Replicas that restart leave certificates behind, of which the newest are kept. */
const mostTrusted = 8;

const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The certificates that a webhook configuration is to trust: this one, and those of other replicas that are not over. The
 * newest come first.
 * @internal
 */
export function trustedBundle(bundle: string, own: string, now: number): string {
  const others = (bundle.match(pem) ?? []).flatMap((text) => {
    const certificate = `${text}\n`;
    return certificate === own ? [] : (validUntil(certificate, now) ?? []);
  });
  const newest = others.sort((a, b) => b.until - a.until).slice(0, mostTrusted - 1);
  return [own, ...newest.map(({ certificate }) => certificate)].join('');
}

function validUntil(certificate: string, now: number) {
  try {
    const until = Date.parse(new X509Certificate(certificate).validTo);
    return until > now ? { certificate, until } : undefined;
  } catch {
    return undefined;
  }
}

const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

/**
 * Makes the API server trust a certificate: adds it to the webhook configuration. Answers whether it is there, with a
 * sentence where it is not. Replicas that write at the same time do not overwrite each other.
 */
export async function trustCertificate(
  client: ClusterClient,
  configuration: string,
  certificate: string,
): Promise<string | undefined> {
  const at = `${path}/${configuration}`;
  const response = await get(client, at, 'application/json', {});
  if (response.status !== 200)
    return `ValidatingWebhookConfiguration ${configuration} could not be read (${response.status})`;
  const object = fieldsOf(parseJsonBody(await readBody(response)));
  const changes = fieldsListOf(object.webhooks).flatMap((webhook, index) => {
    const known = Buffer.from(textAt(webhook, 'clientConfig.caBundle'), 'base64').toString();
    if (known.includes(certificate)) return [];
    const bundle = trustedBundle(known, certificate, Date.now());
    const value = Buffer.from(bundle).toString('base64');
    return [{ op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value }];
  });
  if (changes.length === 0) return undefined;
  const guards = {
    uid: textAt(object, 'metadata.uid'),
    resourceVersion: textAt(object, 'metadata.resourceVersion'),
  };
  const write = { verb: 'patch', path: at, patchType: 'json', body: changes, guards } as const;
  const clearance = Clearance.grant('certificate', { uids: [guards.uid], agreed: 'flag' });
  const { outcome, message } = await sendWrite(client, clearance.covers(write));
  return outcome === 'done'
    ? undefined
    : `ValidatingWebhookConfiguration ${configuration} does not trust this guard yet: ${message}`;
}

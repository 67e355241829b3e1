import type { Certificate } from '../../support/certificates.ts';
import { kubeconfigOf } from '../../support/kubeconfig.ts';
import type { ParityCase } from './parity.ts';
import type { World } from './parity-world.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A case whose ~/.kube/config is said by its entries; without any of them there is none. */
export interface ParityRow extends ParityCase {
  readonly user?: Fields;
  /** What the cluster says beside the address and the authority of the TLS server. */
  readonly cluster?: Fields;
  /** The whole cluster, instead. */
  readonly otherCluster?: Fields;
  readonly context?: Fields;
}

/** Cases by name; some are made when the servers run. */
export type ParityRows = Readonly<Record<string, ParityRow | ((world: World) => ParityRow)>>;

/** The case of a row. */
export function caseOf(row: ParityRows[string], world: World): ParityCase {
  const made = typeof row === 'function' ? row(world) : row;
  const { user, cluster, otherCluster, context, files = {}, ...others } = made;
  if (!user && !cluster && !otherCluster) return { files, ...others };
  const config = kubeconfigOf(otherCluster ?? trusted(world, cluster), user, context);
  return { files: { '.kube/config': config, ...files }, ...others };
}

/** A kubeconfig whose user logs in at the TLS server with this token. */
export function named(world: World, token: string, fields: Fields = {}) {
  return { ...kubeconfigOf(trusted(world), { token }), ...fields };
}

/** The TLS server as a cluster entry that trusts it. */
function trusted({ tls, authority }: World, fields: Fields = {}): Fields {
  return { server: tls.url, ...authorityData(authority), ...fields };
}

/** An authority as an entry of a cluster holds it. */
export function authorityData({ certificate }: Pick<Certificate, 'certificate'>) {
  return { 'certificate-authority-data': base64(certificate) };
}

/** A certificate, and its key or another, as an entry of a user holds them. */
export function certificateData({ certificate, key }: Certificate) {
  return { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

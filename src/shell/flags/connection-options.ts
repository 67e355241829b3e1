import type { ConnectionOptions } from '../../cluster/connection/cluster-client.ts';
import type { CommonFlags } from './flags.ts';

/** In a file of its own: the Tab key needs it, and does not load what parses flags. */
export function connectionOptions(flags: CommonFlags): ConnectionOptions {
  return {
    kubeconfig: flags.kubeconfig,
    context: flags.context,
    cluster: flags.cluster,
    user: flags.user,
    namespace: flags.namespace,
    server: flags.server,
    token: flags.token,
    username: flags.username,
    password: flags.password,
    as: flags.as,
    asGroup: flags['as-group'],
    asUid: flags['as-uid'],
    asUserExtra: flags['as-user-extra'],
    certificateAuthority: flags['certificate-authority'],
    clientCertificate: flags['client-certificate'],
    clientKey: flags['client-key'],
    insecureSkipTlsVerify: flags['insecure-skip-tls-verify'],
    tlsServerName: flags['tls-server-name'],
    requestTimeout: flags['request-timeout'],
    disableCompression: flags['disable-compression'],
    kuberc: flags.kuberc,
  };
}

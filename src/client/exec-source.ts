import type { ClientEnvironment } from './client-environment.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import type { CredentialSource } from './credential-source.ts';
import { assertPluginAllowed } from './exec-plugin-policy.ts';
import type { ExecPlugin, KubeconfigUser } from './kubeconfig.ts';
import { type ExecCredential, runExecPlugin } from './run-exec-plugin.ts';

/**
 * Credentials of an exec plugin, kept until they expire or are refused. Written here rather than
 * left to client-node, whose exec neither sets KUBERNETES_EXEC_INFO nor hands over stdin and stderr.
 */
export function execSource(
  user: KubeconfigUser,
  plugin: ExecPlugin,
  settings: ConnectionSettings,
  environment: ClientEnvironment,
  now: () => number = Date.now,
): CredentialSource {
  let held: { user: KubeconfigUser; expiresAt: number } | undefined;
  let running: Promise<KubeconfigUser> | undefined;

  const run = async () => {
    await assertPluginAllowed(plugin.command, environment);
    const credential = await runExecPlugin(plugin, settings, environment);
    held = { user: withCredential(user, credential), expiresAt: credential.expiresAt };
    return held.user;
  };
  const runOnce = () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    current: async () => (held !== undefined && now() <= held.expiresAt ? held.user : runOnce()),
    renew: async (refused) => {
      if (held?.user === refused) await runOnce();
    },
  };
}

function withCredential(user: KubeconfigUser, credential: ExecCredential): KubeconfigUser {
  return {
    ...user,
    exec: undefined,
    token: credential.token,
    clientCertificateData: Buffer.from(credential.certificate).toString('base64'),
    clientKeyData: Buffer.from(credential.key).toString('base64'),
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { GcError, isGcError } from '../../errors.ts';
import { parseJsonOrYaml } from '../../files/parsing/parse-yaml.ts';
import { fieldsOf, textOrEmpty } from '../../kube/json-value.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { type CredentialSource, readPem } from './credential-source.ts';
import { assertPluginAllowed, lookPath } from './exec-plugin-policy.ts';
import type { ExecPlugin, KubeconfigUser } from './kubeconfig.ts';
import { RequestDeadlines } from './patience.ts';

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
  const runOnce = () =>
    (running ??= run().finally(() => {
      running = undefined;
    }));
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
    'client-certificate-data': Buffer.from(credential.certificate).toString('base64'),
    'client-key-data': Buffer.from(credential.key).toString('base64'),
  };
}

const apiVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** Runs the plugin once. Its stderr is ours, so that it can talk to the user; stdin too if it may. */
async function runExecPlugin(
  plugin: ExecPlugin,
  settings: ConnectionSettings,
  environment: ClientEnvironment,
): Promise<ExecCredential> {
  if (!apiVersions.includes(plugin.apiVersion)) {
    throw failed(plugin, `its apiVersion "${plugin.apiVersion}" is not known`, [
      `Set the exec plugin's apiVersion to one of: ${apiVersions.join(', ')}.`,
    ]);
  }
  const interactive = mayUseStdin(plugin, environment.stdinIsTerminal);
  const file = lookPath(plugin.command, environment.env);
  if (file === undefined) {
    throw failed(plugin, 'the executable was not found', [
      'Install it, or correct the command of the user in the kubeconfig.',
      ...(plugin.installHint === '' ? [] : [plugin.installHint]),
    ]);
  }
  if (interactive) environment.asks?.(plugin.command);
  const execInfo = {
    kind: 'ExecCredential',
    apiVersion: plugin.apiVersion,
    spec: {
      ...(plugin.provideClusterInfo && { cluster: clusterInfo(settings) }),
      interactive,
    },
  };
  const child = spawn(file, plugin.args, {
    argv0: plugin.command,
    cwd: environment.cwd,
    env: {
      ...environment.env,
      ...Object.fromEntries(plugin.env.map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: JSON.stringify(execInfo),
    },
    stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    ...(environment.signal && { signal: environment.signal }),
  });
  // What the plugin has started may hold the other end open.
  environment.signal?.addEventListener('abort', () => child.stdout?.destroy());
  const patience = new RequestDeadlines(interactive ? {} : environment);
  const awaited = patience.begin(`the credential plugin ${plugin.command}`, 0);
  const [output, code] = await finished(child, plugin).finally(() => awaited.end('ended'));
  if (code !== 0) {
    const how = code === null ? 'it was killed' : `exit code ${code}`;
    throw failed(plugin, how, ['See its own message above; logging in again often helps.']);
  }
  return parseExecCredential(output, plugin);
}

/** A token and a certificate have a few KiB. */
const longestOutput = 1024 * 1024;

async function finished(
  child: ReturnType<typeof spawn>,
  plugin: ExecPlugin,
): Promise<readonly [output: string, code: number | null]> {
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    if (output.length <= longestOutput) return;
    child.kill('SIGKILL');
    // What the plugin has started may hold the other end open.
    child.stdout?.destroy();
  });
  try {
    const [code] = await once(child, 'close');
    if (output.length <= longestOutput) return [output, code];
    throw failed(plugin, 'it printed more than 1 MiB', [
      'Run the plugin manually to see its output; update it if it is old.',
    ]);
  } catch (cause) {
    if (isGcError(cause)) throw cause;
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw failed(plugin, `it could not be started (${why})`, [
      'Check that the file is executable for this system.',
    ]);
  }
}

function mayUseStdin(plugin: ExecPlugin, stdinIsTerminal: boolean): boolean {
  if (plugin.interactiveMode === 'Never') return false;
  if (stdinIsTerminal) return true;
  if (plugin.interactiveMode === 'IfAvailable') return false;
  throw failed(plugin, 'it needs input, and standard input is not a terminal', [
    'Run the command in a terminal, or log in with the plugin beforehand.',
  ]);
}

/** The extension of a kubeconfig's cluster that is handed to plugins as it is. */
const execExtension = 'client.authentication.k8s.io/exec';

function clusterInfo({ cluster }: ConnectionSettings) {
  const configs = cluster.extensions.filter(({ name }) => name === execExtension);
  const ca = readPem(cluster, 'certificate-authority')?.toString('base64');
  const passed = alsoPassed.flatMap((name) => (cluster[name] ? [[name, cluster[name]]] : []));
  return {
    server: cluster.server,
    ...Object.fromEntries(passed),
    ...(ca && { 'certificate-authority-data': ca }),
    config: configs[0]?.extension ?? null,
  };
}

/** Where they are set. */
const alsoPassed = [
  'tls-server-name',
  'insecure-skip-tls-verify',
  'proxy-url',
  'disable-compression',
] as const;

function failed(plugin: ExecPlugin, why: string, suggestions: readonly string[]): GcError {
  return new GcError(`the credential plugin ${plugin.command} failed: ${why}`, {
    code: 'exec-plugin-failed',
    suggestions,
  });
}

export interface ExecCredential {
  /** '' for none. */
  readonly token: string;
  /** PEM, '' for none; both or neither. */
  readonly certificate: string;
  readonly key: string;
  /** Milliseconds since the epoch; Infinity when the plugin sets no expiry. */
  readonly expiresAt: number;
}

/** Reads the ExecCredential that a plugin printed; errors never quote the output, because it contains secrets. */
async function parseExecCredential(output: string, plugin: ExecPlugin): Promise<ExecCredential> {
  const decoded = await parseJsonOrYaml(output).catch(() => undefined);
  const { kind, apiVersion, status } = fieldsOf(decoded);
  if (kind !== 'ExecCredential' || apiVersion !== plugin.apiVersion) {
    throw pluginFailure(plugin, `is not an ExecCredential of ${plugin.apiVersion}`);
  }
  const { clientCertificateData, clientKeyData, expirationTimestamp, ...passed } = fieldsOf(status);
  const token = textOrEmpty(passed.token);
  const certificate = textOrEmpty(clientCertificateData);
  const key = textOrEmpty(clientKeyData);
  if ((token === '' && certificate === '') || (certificate === '') !== (key === '')) {
    throw pluginFailure(plugin, 'has neither a token nor a certificate with its key');
  }
  const expiry = textOrEmpty(expirationTimestamp);
  const expiresAt = expiry === '' ? Number.POSITIVE_INFINITY : Date.parse(expiry);
  if (Number.isNaN(expiresAt))
    throw pluginFailure(plugin, 'has an expirationTimestamp that is not a time');
  return { token, certificate, key, expiresAt };
}

function pluginFailure(plugin: ExecPlugin, why: string): GcError {
  return new GcError(`the output of the credential plugin ${plugin.command} ${why}`, {
    code: 'exec-plugin-failed',
    suggestions: ['Run the plugin manually to see its output; update it if it is old.'],
  });
}

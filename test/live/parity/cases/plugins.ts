import { base64, home } from '../kubeconfig-of.ts';
import { idToken, type ParityCases, type World } from '../parity-world.ts';

const v1 = 'client.authentication.k8s.io/v1';
const v1beta1 = 'client.authentication.k8s.io/v1beta1';
const never = { apiVersion: v1, interactiveMode: 'Never', command: './plugin' };

const credential = (status: object | undefined, apiVersion = v1) =>
  JSON.stringify({ apiVersion, kind: 'ExecCredential', status });

/** A plugin that keeps what it was told and prints `output`. */
const script = (output: string) =>
  `#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" >> "$HOME/exec-info"\ncat <<'END'\n${output}\nEND\n`;

const tokenScript = script(credential({ token: 'from-plugin' }));

const withPlugin = (world: World, exec: object, plugin = tokenScript, cluster: object = {}) => ({
  ...home(world, { exec }, { ...cluster }),
  '.kube/plugin': plugin,
});

const kuberc = (policy: object) => ({
  '.kube/kuberc': { apiVersion: 'kubectl.config.k8s.io/v1beta1', kind: 'Preference', ...policy },
});

const oidc = (world: World, config: object) =>
  home(world, {
    'auth-provider': {
      name: 'oidc',
      config: {
        'client-id': 'gc',
        'client-secret': 's3cret',
        'idp-issuer-url': 'https://issuer.invalid',
        ...config,
      },
    },
  });

/** Exec plugins, the kuberc's policy for them, and OIDC. */
export const pluginCases: ParityCases = {
  'exec, command relative to the kubeconfig': (world) => ({ files: withPlugin(world, never) }),
  'exec, command in PATH': (world) => ({
    files: {
      ...home(world, { exec: { ...never, command: 'my-plugin' } }),
      'bin/my-plugin': tokenScript,
    },
  }),
  'exec, arguments and environment': (world) => ({
    files: withPlugin(
      world,
      { ...never, args: ['one', 'two words'], env: [{ name: 'EXTRA', value: 'x y' }] },
      `#!/bin/sh\nprintf '{"apiVersion":"${v1}","kind":"ExecCredential","status":{"token":"%s-%s-%s"}}' "$1" "$2" "$EXTRA"`,
    ),
  }),
  'exec, provideClusterInfo': (world) => ({
    files: withPlugin(world, { ...never, provideClusterInfo: true }, tokenScript, {
      'tls-server-name': 'cluster.test',
      'disable-compression': true,
      'proxy-url': `http://127.0.0.1:${world.proxy.port}`,
      extensions: [
        { name: 'other', extension: { a: 1 } },
        { name: 'client.authentication.k8s.io/exec', extension: { audience: 'x', list: [1, 2] } },
      ],
    }),
  }),
  'exec, provideClusterInfo with an authority file': (world) => ({
    files: {
      ...withPlugin(world, { ...never, provideClusterInfo: true }, tokenScript, {
        'certificate-authority-data': '',
        'certificate-authority': 'ca.crt',
      }),
      '.kube/ca.crt': world.authority.certificate,
    },
  }),
  'exec, v1beta1 without interactiveMode': (world) => ({
    files: withPlugin(
      world,
      { command: './plugin', apiVersion: v1beta1 },
      script(credential({ token: 'beta' }, v1beta1)),
    ),
  }),
  'exec, v1 without interactiveMode': (world) => ({
    files: withPlugin(world, { command: './plugin', apiVersion: v1 }),
  }),
  'exec, client certificate': (world) => ({
    files: withPlugin(
      world,
      never,
      script(
        credential({
          clientCertificateData: world.alice.certificate,
          clientKeyData: world.alice.key,
        }),
      ),
    ),
  }),
  'exec, output in YAML': (world) => ({
    files: withPlugin(
      world,
      never,
      script(`apiVersion: ${v1}\nkind: ExecCredential\nstatus: {token: yaml}`),
    ),
  }),
  'exec is not run for --token': (world) => ({
    files: withPlugin(world, never),
    options: { token: 'flag' },
  }),
  'exec is not run beside a certificate': (world) => ({
    files: {
      ...home(world, {
        exec: never,
        'client-certificate-data': base64(world.bob.certificate),
        'client-key-data': base64(world.bob.key),
      }),
      '.kube/plugin': tokenScript,
    },
  }),
  'exec is not run for http': (world) => ({
    files: withPlugin(world, never, tokenScript, { server: world.http.url }),
  }),
  'exec, missing command': (world) => ({
    files: home(world, { exec: { ...never, command: 'no-such-plugin', installHint: 'get it' } }),
  }),
  'exec, failing command': (world) => ({
    files: withPlugin(world, never, '#!/bin/sh\nexit 3'),
  }),
  'exec, another version': (world) => ({
    files: withPlugin(world, never, script(credential({ token: 'x' }, v1beta1))),
  }),
  'exec, no status': (world) => ({
    files: withPlugin(world, never, script(credential(undefined))),
  }),
  'exec, empty status': (world) => ({ files: withPlugin(world, never, script(credential({}))) }),
  'exec, certificate without key': (world) => ({
    files: withPlugin(world, never, script(credential({ clientCertificateData: 'x' }))),
  }),
  'exec, output that is nothing': (world) => ({ files: withPlugin(world, never, '#!/bin/sh\n') }),
  'exec, unknown apiVersion': (world) => ({
    files: withPlugin(world, { ...never, apiVersion: 'client.authentication.k8s.io/v1alpha1' }),
  }),
  'exec, Always without a terminal': (world) => ({
    files: withPlugin(world, { ...never, interactiveMode: 'Always' }),
  }),
  'exec, IfAvailable without a terminal': (world) => ({
    files: withPlugin(world, { ...never, interactiveMode: 'IfAvailable' }),
  }),
  'exec and auth-provider': (world) => ({
    files: home(world, { exec: never, 'auth-provider': { name: 'oidc', config: {} } }),
  }),
  'kuberc, DenyAll': (world) => ({
    files: { ...withPlugin(world, never), ...kuberc({ credentialPluginPolicy: 'DenyAll' }) },
  }),
  'kuberc, DenyAll but KUBERC=off': (world) => ({
    files: { ...withPlugin(world, never), ...kuberc({ credentialPluginPolicy: 'DenyAll' }) },
    env: { KUBERC: 'off' },
  }),
  'kuberc, AllowAll': (world) => ({
    files: { ...withPlugin(world, never), ...kuberc({ credentialPluginPolicy: 'AllowAll' }) },
  }),
  'kuberc, Allowlist by name': (world) => ({
    files: {
      ...home(world, { exec: { ...never, command: 'my-plugin' } }),
      'bin/my-plugin': tokenScript,
      ...kuberc({
        credentialPluginPolicy: 'Allowlist',
        credentialPluginAllowlist: [{ command: 'other' }, { name: 'my-plugin' }],
      }),
    },
  }),
  'kuberc, Allowlist without the plugin': (world) => ({
    files: {
      ...withPlugin(world, never),
      ...kuberc({
        credentialPluginPolicy: 'Allowlist',
        credentialPluginAllowlist: [{ command: 'plugin' }],
      }),
    },
  }),
  'kuberc, empty Allowlist': (world) => ({
    files: { ...withPlugin(world, never), ...kuberc({ credentialPluginPolicy: 'Allowlist' }) },
  }),
  'kuberc that is not YAML': (world) => ({
    files: { ...withPlugin(world, never), '.kube/kuberc': 'a: [' },
  }),
  'kuberc named by KUBERC, missing': (world) => ({
    files: withPlugin(world, never),
    env: { KUBERC: 'no' },
  }),
  'oidc, valid id-token': (world) => ({
    files: oidc(world, { 'id-token': idToken('2200-01-01T00:00:00Z') }),
  }),
  'oidc, expired id-token, no refresh-token': (world) => ({
    files: oidc(world, { 'id-token': idToken('2020-01-01T00:00:00Z') }),
  }),
  'oidc, id-token that is none': (world) => ({ files: oidc(world, { 'id-token': 'abc' }) }),
  'oidc without issuer': (world) => ({ files: oidc(world, { 'idp-issuer-url': '' }) }),
  'oidc is not asked for --token': (world) => ({
    files: oidc(world, {}),
    options: { token: 'flag' },
  }),
};

import { certificateData, type ParityRow, type ParityRows } from '../kubeconfig-of.ts';
import { idToken } from '../parity-world.ts';

const v1 = 'client.authentication.k8s.io/v1';
const v1beta1 = 'client.authentication.k8s.io/v1beta1';
const never = { apiVersion: v1, interactiveMode: 'Never', command: './plugin' };

const credential = (status: object | undefined, apiVersion = v1) =>
  JSON.stringify({ apiVersion, kind: 'ExecCredential', status });

/** A plugin that keeps what it was told and prints `output`. */
const script = (output: string) =>
  `#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" >> "$HOME/exec-info"\ncat <<'END'\n${output}\nEND\n`;

const tokenScript = script(credential({ token: 'from-plugin' }));

/** A user who logs in by this plugin. */
const withPlugin = (exec: object, plugin = tokenScript, others: object = {}) => ({
  user: { exec },
  files: { '.kube/plugin': plugin, ...others },
});

/** The plugin in PATH, and others of the files. */
const inPath = (files: object = {}) => ({
  user: { exec: { ...never, command: 'my-plugin' } },
  files: { 'bin/my-plugin': tokenScript, ...files },
});

/** The plugin, and a kuberc with that policy. */
const withPolicy = (policy: string, allowed?: object[]) =>
  withPlugin(never, tokenScript, kuberc(policy, allowed));

const kuberc = (credentialPluginPolicy: string, credentialPluginAllowlist?: object[]) => ({
  '.kube/kuberc': {
    apiVersion: 'kubectl.config.k8s.io/v1beta1',
    kind: 'Preference',
    credentialPluginPolicy,
    credentialPluginAllowlist,
  },
});

const oidc = (config: object): ParityRow => ({
  user: {
    'auth-provider': {
      name: 'oidc',
      config: {
        'client-id': 'gc',
        'client-secret': 's3cret',
        'idp-issuer-url': 'https://issuer.invalid',
        ...config,
      },
    },
  },
});

/** Exec plugins, the kuberc's policy for them, and OIDC. */
export const pluginCases: ParityRows = {
  'exec, command relative to the kubeconfig': withPlugin(never),
  'exec, command in PATH': inPath(),
  'exec, arguments and environment': withPlugin(
    { ...never, args: ['one', 'two words'], env: [{ name: 'EXTRA', value: 'x y' }] },
    `#!/bin/sh\nprintf '{"apiVersion":"${v1}","kind":"ExecCredential","status":{"token":"%s-%s-%s"}}' "$1" "$2" "$EXTRA"`,
  ),
  'exec, provideClusterInfo': ({ proxy }) => ({
    ...withPlugin({ ...never, provideClusterInfo: true }),
    cluster: {
      'tls-server-name': 'cluster.test',
      'disable-compression': true,
      'proxy-url': `http://127.0.0.1:${proxy.port}`,
      extensions: [
        { name: 'other', extension: { a: 1 } },
        { name: 'client.authentication.k8s.io/exec', extension: { audience: 'x', list: [1, 2] } },
      ],
    },
  }),
  'exec, provideClusterInfo with an authority file': ({ authority }) => ({
    user: { exec: { ...never, provideClusterInfo: true } },
    cluster: { 'certificate-authority-data': '', 'certificate-authority': 'ca.crt' },
    files: { '.kube/plugin': tokenScript, '.kube/ca.crt': authority.certificate },
  }),
  'exec, v1beta1 without interactiveMode': withPlugin(
    { command: './plugin', apiVersion: v1beta1 },
    script(credential({ token: 'beta' }, v1beta1)),
  ),
  'exec, v1 without interactiveMode': withPlugin({ command: './plugin', apiVersion: v1 }),
  'exec, client certificate': ({ alice: { certificate, key } }) =>
    withPlugin(
      never,
      script(credential({ clientCertificateData: certificate, clientKeyData: key })),
    ),
  'exec, output in YAML': withPlugin(
    never,
    script(`apiVersion: ${v1}\nkind: ExecCredential\nstatus: {token: yaml}`),
  ),
  'exec is not run for --token': { ...withPlugin(never), options: { token: 'flag' } },
  'exec is not run beside a certificate': ({ bob }) => ({
    user: { exec: never, ...certificateData(bob) },
    files: { '.kube/plugin': tokenScript },
  }),
  'exec is not run for http': ({ http }) => ({
    ...withPlugin(never),
    cluster: { server: http.url },
  }),
  'exec, missing command': {
    user: { exec: { ...never, command: 'no-such-plugin', installHint: 'get it' } },
  },
  'exec, failing command': withPlugin(never, '#!/bin/sh\nexit 3'),
  'exec, another version': withPlugin(never, script(credential({ token: 'x' }, v1beta1))),
  'exec, no status': withPlugin(never, script(credential(undefined))),
  'exec, empty status': withPlugin(never, script(credential({}))),
  'exec, certificate without key': withPlugin(
    never,
    script(credential({ clientCertificateData: 'x' })),
  ),
  'exec, output that is nothing': withPlugin(never, '#!/bin/sh\n'),
  'exec, unknown apiVersion': withPlugin({
    ...never,
    apiVersion: 'client.authentication.k8s.io/v1alpha1',
  }),
  'exec, Always without a terminal': withPlugin({ ...never, interactiveMode: 'Always' }),
  'exec, IfAvailable without a terminal': withPlugin({ ...never, interactiveMode: 'IfAvailable' }),
  'exec and auth-provider': {
    user: { exec: never, 'auth-provider': { name: 'oidc', config: {} } },
  },
  'kuberc, DenyAll': withPolicy('DenyAll'),
  'kuberc, DenyAll but KUBERC=off': { ...withPolicy('DenyAll'), env: { KUBERC: 'off' } },
  'kuberc, AllowAll': withPolicy('AllowAll'),
  'kuberc, Allowlist by name': inPath(
    kuberc('Allowlist', [{ command: 'other' }, { name: 'my-plugin' }]),
  ),
  'kuberc, Allowlist without the plugin': withPolicy('Allowlist', [{ command: 'plugin' }]),
  'kuberc, empty Allowlist': withPolicy('Allowlist'),
  'kuberc that is not YAML': withPlugin(never, tokenScript, { '.kube/kuberc': 'a: [' }),
  'kuberc named by KUBERC, missing': { ...withPlugin(never), env: { KUBERC: 'no' } },
  'oidc, valid id-token': oidc({ 'id-token': idToken('2200-01-01T00:00:00Z') }),
  'oidc, expired id-token, no refresh-token': oidc({
    'id-token': idToken('2020-01-01T00:00:00Z'),
  }),
  'oidc, id-token that is none': oidc({ 'id-token': 'abc' }),
  'oidc without issuer': oidc({ 'idp-issuer-url': '' }),
  'oidc is not asked for --token': { ...oidc({}), options: { token: 'flag' } },
};

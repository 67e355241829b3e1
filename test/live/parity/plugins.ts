import { parse } from 'yaml';
import { rowsOf } from '../../support/rows.ts';
import type { World } from './parity-world.ts';
import { filled, type Row, type Situations, situationOf, situationsOf } from './situations.ts';

const v1 = 'client.authentication.k8s.io/v1';

/** Name, what is said of the plugin, what it prints (a script, or the status of a credential), and what else there is. */
const rows = rowsOf(String.raw`
exec, command relative to the kubeconfig
exec, command in PATH | command: my-plugin
exec, arguments and environment | args: [one, two words], env: [{name: EXTRA, value: x y}]
| #!/bin/sh\nprintf '{"apiVersion":"${v1}","kind":"ExecCredential","status":{"token":"%s-%s-%s"}}' "$1" "$2" "$EXTRA"
exec, provideClusterInfo | provideClusterInfo: true |
| cluster: {tls-server-name: cluster.test, disable-compression: true, proxy-url: $proxy, extensions: [
| {name: other, extension: {a: 1}}, {name: client.authentication.k8s.io/exec, extension: {audience: x, list: [1, 2]}}]}
exec, provideClusterInfo with an authority file | provideClusterInfo: true |
| cluster: {certificate-authority-data: '', certificate-authority: ca.crt}, files: {.kube/ca.crt: $authority.crt}
exec, v1beta1 without interactiveMode | apiVersion: ${v1}beta1, interactiveMode: null | token: beta
exec, v1 without interactiveMode | interactiveMode: null
exec, client certificate | | clientCertificateData: $alice.crt, clientKeyData: $alice.key
exec, output in YAML | | #!/bin/sh\necho 'apiVersion: ${v1}\nkind: ExecCredential\nstatus: {token: yaml}'
exec is not run for --token | | | options: {token: flag}
exec is not run beside a certificate | | | user: {certificate: bob}
exec is not run for http | | | cluster: {server: $http}
exec, missing command | command: no-such-plugin, installHint: get it | none
exec, failing command | | #!/bin/sh\nexit 3
exec, another version | | #!/bin/sh\necho '{"apiVersion":"${v1}beta1","kind":"ExecCredential","status":{"token":"x"}}'
exec, no status | | null
exec, empty status | | {}
exec, certificate without key | | clientCertificateData: x
exec, output that is nothing | | #!/bin/sh\n
exec, unknown apiVersion | apiVersion: ${v1}alpha1
exec, Always without a terminal | interactiveMode: Always
exec, IfAvailable without a terminal | interactiveMode: IfAvailable
exec and auth-provider | | none | user: {auth-provider: {name: oidc, config: {}}}
kuberc, DenyAll | | | files: {.kube/kuberc: {credentialPluginPolicy: DenyAll}}
kuberc, DenyAll but KUBERC=off | | | files: {.kube/kuberc: {credentialPluginPolicy: DenyAll}}, env: {KUBERC: off}
kuberc, AllowAll | | | files: {.kube/kuberc: {credentialPluginPolicy: AllowAll}}
kuberc, Allowlist by name | command: my-plugin |
| files: {.kube/kuberc: {credentialPluginPolicy: Allowlist, credentialPluginAllowlist: [{command: other}, {name: my-plugin}]}}
kuberc, Allowlist without the plugin | |
| files: {.kube/kuberc: {credentialPluginPolicy: Allowlist, credentialPluginAllowlist: [{command: plugin}]}}
kuberc, empty Allowlist | | | files: {.kube/kuberc: {credentialPluginPolicy: Allowlist}}
kuberc that is not YAML | | | files: {.kube/kuberc: 'a: ['}
kuberc named by KUBERC, missing | | | env: {KUBERC: no}
`);

/** Exec plugins, and the kuberc's policy for them. */
export const plugins: Situations = rows.map(([name = '', said = '', prints = '', ...more]) => [
  name,
  (world) => {
    const told = parse(`{${said}}`) as { readonly command?: string; readonly apiVersion?: string };
    const exec = { apiVersion: v1, interactiveMode: 'Never', command: './plugin', ...told };
    const { user, files, ...others } = parse(`{${more.join(' ')}}`) as Row & { user?: object };
    const path = told.command === undefined ? '.kube/plugin' : `bin/${told.command}`;
    const { '.kube/kuberc': kuberc, ...rest } = files ?? {};
    return situationOf(
      {
        user: { exec, ...user },
        files: {
          ...(prints !== 'none' && { [path]: scriptOf(prints, exec.apiVersion, world) }),
          ...(kuberc !== undefined && { '.kube/kuberc': kubercOf(kuberc) }),
          ...rest,
        },
        ...others,
      },
      world,
    );
  },
]);

/** It keeps what it was told. */
function scriptOf(prints: string, apiVersion: string, world: World): string {
  if (prints.startsWith('#!')) return prints.replaceAll('\\n', '\n');
  const status = prints === '' ? { token: 'from-plugin' } : filled(statusOf(prints), world);
  const credential = JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
  const keeps = 'echo "$KUBERNETES_EXEC_INFO" >> "$HOME/exec-info"';
  return `#!/bin/sh\n${keeps}\ncat <<'END'\n${credential}\nEND\n`;
}

const statusOf = (prints: string): unknown =>
  prints === 'null' ? undefined : parse(prints === '{}' ? prints : `{${prints}}`);

const kubercOf = (content: unknown) =>
  typeof content === 'string'
    ? content
    : {
        apiVersion: 'kubectl.config.k8s.io/v1beta1',
        kind: 'Preference',
        ...(content as object),
      };

const issuer = "client-id: gc, client-secret: s3cret, idp-issuer-url: 'https://issuer.invalid'";

export const oidc = situationsOf(`
oidc, valid id-token | user: {auth-provider: {name: oidc, config: {${issuer}, id-token: $expires(2200-01-01T00:00:00Z)}}}
oidc, expired id-token, no refresh-token
| user: {auth-provider: {name: oidc, config: {${issuer}, id-token: $expires(2020-01-01T00:00:00Z)}}}
oidc, id-token that is none | user: {auth-provider: {name: oidc, config: {${issuer}, id-token: abc}}}
oidc without issuer | user: {auth-provider: {name: oidc, config: {client-id: gc, client-secret: s3cret, idp-issuer-url: ''}}}
oidc is not asked for --token | user: {auth-provider: {name: oidc, config: {${issuer}}}}, options: {token: flag}
`);

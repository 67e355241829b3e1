import { situationsOf } from './situations.ts';

/** Tokens, certificates, passwords and impersonation. */
export const credentials = situationsOf(String.raw`
token | user: mine
tokenFile, relative, with a line end | user: {tokenFile: token}, files: {.kube/token: "from-file\n"}
token and tokenFile | user: {token: mine, tokenFile: token}, files: {.kube/token: from-file}
token and a missing tokenFile | user: {token: mine, tokenFile: no}
token with a line end | user: {token: "a\nb"}
missing tokenFile | user: {tokenFile: no}
--token over the kubeconfig | user: mine, options: {token: from-flag}
--token over tokenFile | user: {tokenFile: token}, files: {.kube/token: from-file}, options: {token: from-flag}
context without user, --token | cluster: {}, options: {token: flag}
context with a missing user, --token | cluster: {}, context: {user: gone}, options: {token: flag}
client certificate, data | user: {certificate: alice}
client certificate, relative files | user: {client-certificate: alice.crt, client-key: ../alice.key},
| files: {.kube/alice.crt: $alice.crt, alice.key: $alice.key}
client certificate and token | user: {token: mine, certificate: alice}
--client-certificate over data | user: {certificate: alice}, files: {bob.crt: $bob.crt, bob.key: $bob.key},
| options: {client-certificate: bob.crt, client-key: bob.key}
client certificate without key | user: {client-certificate-data: $alice.crt64}
client certificate with another key | user: {client-certificate-data: $alice.crt64, client-key-data: $bob.key64}
client certificate as file and data | user: {client-certificate: alice.crt, certificate: alice},
| files: {.kube/alice.crt: $alice.crt}
missing client certificate file | user: {client-certificate: no.crt, client-key: no.key}
user name and password | user: {username: ann, password: "p:ä"}
--username and --password | user: {username: ann, password: old}, options: {username: bea, password: new}
password and token | user: {token: mine, username: ann, password: x}
password and tokenFile | user: {tokenFile: token, username: ann, password: x}, files: {.kube/token: from-file}
user and password in the address | cluster: {server: "https://ann:pw@127.0.0.1:$tls.port"}, user: mine
impersonation in the kubeconfig | user: {token: mine, as: jörg, as-uid: '1234', as-groups: [dev, 'ops, all'],
| as-user-extra: {scopes: [a, b], example.com/100%: [x]}}
impersonation by flags | user: mine, options: {as: 'system:serviceaccount:a:b', as-uid: '99',
| as-group: ['system:masters', dev], as-user-extra: [reason=a=b, reason=c, scopes=view]}
impersonation by flags over the kubeconfig | user: {token: mine, as: a, as-groups: [x, y],
| as-user-extra: {keep: ['1'], replace: ['2']}}, options: {as: b, as-group: [z], as-user-extra: [replace=3]}
impersonated groups without user | user: mine, options: {as-group: [dev]}
refused by the server | cluster: {server: $unauthorized}, user: mine
auth-provider gcp | user: {auth-provider: {name: gcp, config: {}}}
auth-provider azure | user: {auth-provider: {name: azure, config: {}}}
unknown auth-provider | user: {auth-provider: {name: astrology, config: {}}}
`);

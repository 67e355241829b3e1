import { situationsOf } from './situations.ts';

/** Which files are read, how they merge, and which entries are picked. */
export const kubeconfigs = situationsOf(String.raw`
KUBECONFIG instead of ~/.kube/config | user: home, files: {a: {named: a}}, env: {KUBECONFIG: a}
KUBECONFIG, same names: the first file wins | files: {a: {named: a}, b: {named: b}}, env: {KUBECONFIG: 'a:b'}
KUBECONFIG, current-context: the first that is set | files: {
| a: {users: [{name: user, user: {token: a}}]}, b: {named: b, current-context: other},
| c: {contexts: [{name: other, context: {cluster: cluster, user: user}}], current-context: context}},
| env: {KUBECONFIG: 'a:b:c'}
KUBECONFIG, an entry is never merged field by field | files: {a: {users: [{name: user, user: {as: ann}}]}, b: {named: b}},
| env: {KUBECONFIG: 'a:b'}, options: {token: flag}
KUBECONFIG with missing and repeated files | files: {a: {named: a}}, env: {KUBECONFIG: 'no:a::a:nowhere/b'}
KUBECONFIG, paths belong to their file | files: {one/a: {users: [{name: user, user: {tokenFile: token}}]}, one/token: one,
| two/b: {named: b}, two/token: two}, env: {KUBECONFIG: 'one/a:two/b'}
KUBECONFIG, all missing | env: {KUBECONFIG: 'no:nowhere'}
KUBECONFIG with an unreadable file | files: {a: {named: a}, b/file: ''}, env: {KUBECONFIG: 'a:b'}
no kubeconfig at all
empty kubeconfig | files: {.kube/config: ''}
empty kubeconfig beside a full one | files: {empty: '', a: {named: a}}, env: {KUBECONFIG: 'empty:a'}
kubeconfig of comments | files: {.kube/config: "# nothing\n\n"}
two documents: the first counts | files: {.kube/config: "$json(a)\n---\n$json(b)\n"}
anchors and merge keys | files: {.kube/config: "x-base: &base\n  server: $http\nclusters:\n- name: c\n  cluster:
| \n    <<: *base\ncontexts:\n- name: x\n  context: {cluster: c}\ncurrent-context: x\n"}
list that is text | files: {.kube/config: 'clusters: hello'}
not YAML | files: {.kube/config: 'clusters: ['}
not a mapping | files: {.kube/config: hello}
another kind | files: {.kube/config: {apiVersion: v1, kind: Pod}}
another version | files: {.kube/config: {apiVersion: v2, kind: Config}}
token that is a number | user: {token: 1234}
name that is there twice | files: {.kube/config: {named: a,
| users: [{name: user, user: {token: a}}, {name: user, user: {token: b}}]}}
fields set to null | user: {token: t, as-groups: null, exec: null}, cluster: {proxy-url: null}
--kubeconfig over KUBECONFIG | files: {a: {named: a}, sub/b: {named: b}}, env: {KUBECONFIG: a}, options: {kubeconfig: sub/b}
--kubeconfig of a missing file | user: t, options: {kubeconfig: no}
--context | files: {.kube/config: {named: a, users: [{name: other, user: {token: other}}],
| contexts: [{name: second, context: {cluster: cluster, user: other}}], current-context: gone}},
| options: {context: second}
--user | files: {.kube/config: {named: a,
| users: [{name: user, user: {token: a}}, {name: other, user: {token: other}}]}}, options: {user: other}
--cluster without a context | files: {.kube/config: {clusters: [{name: c, cluster: {server: $http}}]}}, options: {cluster: c}
unknown --context | user: t, options: {context: no}
unknown --cluster | user: t, options: {cluster: no}
unknown --user | user: t, options: {user: no}
unknown current-context | files: {.kube/config: {named: a, current-context: gone}}
context with an unknown cluster, --server | files: {.kube/config: {named: a, clusters: []}, ca.crt: $authority.crt},
| options: {server: $tls, certificate-authority: ca.crt}
`);

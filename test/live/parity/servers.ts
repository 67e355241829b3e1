import { situationsOf } from './situations.ts';

/** How servers are addressed, trusted and found unreachable. */
export const servers = situationsOf(String.raw`
http server: no credentials, but impersonation | otherCluster: {server: $http}, user: {token: t, as: ann, as-groups: [dev]}
http server with certificates | cluster: {server: $http}, user: {certificate: alice}
server without a scheme | otherCluster: {server: '127.0.0.1:$http.port'}, user: {token: t, as: ann, as-groups: [dev]}
server without a scheme, with a path | otherCluster: {server: '127.0.0.1:$http.port/prefix'}
upper-case scheme and trailing slash | cluster: {server: 'HTTPS://127.0.0.1:$tls.port/'}, user: t
--server over the kubeconfig | cluster: {server: 'https://127.0.0.1:1'}, user: t, options: {server: $tls}
--server forgets tls-server-name | cluster: {tls-server-name: wrong.test}, user: t, options: {server: $tls}
KUBERNETES_MASTER | env: {KUBERNETES_MASTER: $http}
by name | cluster: {server: 'https://localhost:$tls.port'}, user: t
tls-server-name | cluster: {tls-server-name: cluster.test}, user: t
tls-server-name that is an address | cluster: {server: 'https://localhost:$tls.port', tls-server-name: 127.0.0.1}, user: t
tls-server-name that is an address of another server | cluster: {tls-server-name: 10.9.8.8}, user: t
--tls-server-name | cluster: {tls-server-name: cluster.test}, user: t, options: {tls-server-name: other.test}
certificate-authority, relative file | otherCluster: {server: $tls, certificate-authority: pki/ca.crt}, user: t,
| files: {.kube/pki/ca.crt: $authority.crt}
--certificate-authority over data | cluster: {authority: otherAuthority}, user: t, files: {ca.crt: $authority.crt},
| options: {certificate-authority: ca.crt}
certificate-authority as file and data | cluster: {certificate-authority: ca.crt}, user: t,
| files: {.kube/ca.crt: $authority.crt}
missing certificate-authority | otherCluster: {server: $tls, certificate-authority: no}, user: t
certificate-authority without a certificate | cluster: {certificate-authority-data: aGVsbG8=}, user: t
certificate-authority-data that is not base64 | cluster: {certificate-authority-data: '%%%'}, user: t
insecure-skip-tls-verify | otherCluster: {server: $expired, insecure-skip-tls-verify: true}, user: t
insecure-skip-tls-verify: yes | files: {.kube/config: "current-context: x
| \ncontexts: [{name: x, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: t}}]
| \nclusters: [{name: c, cluster: {server: '$tls', insecure-skip-tls-verify: yes}}]"}
insecure-skip-tls-verify and an authority | cluster: {insecure-skip-tls-verify: true}, user: t
--insecure-skip-tls-verify over an authority | cluster: {authority: otherAuthority}, user: t,
| options: {insecure-skip-tls-verify: true}
--insecure-skip-tls-verify=false | user: t, options: {insecure-skip-tls-verify: false}
unknown authority | cluster: {authority: otherAuthority}, user: t
no authority | otherCluster: {server: $tls}, user: t
certificate for another host | cluster: {server: $misnamed}, user: t
expired certificate | cluster: {server: $expired}, user: t
refused connection | cluster: {server: 'https://127.0.0.1:1'}, user: t
https to an http server | cluster: {server: 'https://127.0.0.1:$http.port'}, user: t
http to an https server | cluster: {server: 'http://127.0.0.1:$tls.port'}, user: t
disable-compression | cluster: {disable-compression: true}, user: t
--disable-compression | user: t, options: {disable-compression: true}
--request-timeout runs out | cluster: {server: $silent}, user: t, options: {request-timeout: 300ms}
--request-timeout in seconds | user: t, options: {request-timeout: '30'}
--request-timeout 0 | user: t, options: {request-timeout: '0'}
--request-timeout 1h0.5m | user: t, options: {request-timeout: 1h0.5m}
--request-timeout 5 apples | user: t, options: {request-timeout: 5 apples}
`);

/** proxy-url and the environment's proxies; of `cluster.test` only the proxies know the way. */
export const proxies = situationsOf(`
HTTPS_PROXY | cluster: {server: 'https://cluster.test:$tls.port'}, user: t, env: {HTTPS_PROXY: $proxy}
https_proxy without a scheme | cluster: {server: 'https://cluster.test:$tls.port'}, user: t,
| env: {https_proxy: '127.0.0.1:$proxy.port'}
HTTPS_PROXY before https_proxy | cluster: {server: 'https://cluster.test:$tls.port'}, user: t,
| env: {HTTPS_PROXY: $proxy, https_proxy: 'http://127.0.0.1:1'}
HTTPS_PROXY with a password | cluster: {server: 'https://cluster.test:$tls.port'}, user: t,
| env: {HTTPS_PROXY: 'http://me:s%40cret@127.0.0.1:$proxy.port'}
HTTP_PROXY is not for https | user: t, env: {HTTP_PROXY: 'http://127.0.0.1:1'}
HTTP_PROXY for http | otherCluster: {server: 'http://cluster.test:$http.port'}, env: {HTTP_PROXY: $proxy}
loopback goes past the proxy | user: t, env: {HTTPS_PROXY: 'http://127.0.0.1:1'}
localhost goes past the proxy | cluster: {server: 'https://localhost:$tls.port'}, user: t,
| env: {HTTPS_PROXY: 'http://127.0.0.1:1'}
NO_PROXY for something else | cluster: {server: 'https://cluster.test:$tls.port'}, user: t,
| env: {HTTPS_PROXY: $proxy, NO_PROXY: 'luster.test,.cluster.test,10.0.0.0/8,cluster.test:1'}
NO_PROXY for its domain | cluster: {server: 'https://cluster.invalid:$tls.port'}, user: t,
| env: {HTTPS_PROXY: $proxy, NO_PROXY: 'example.com, .INVALID'}
NO_PROXY=* | cluster: {server: 'https://cluster.invalid:$tls.port'}, user: t, env: {HTTPS_PROXY: $proxy, no_proxy: '*'}
proxy-url | cluster: {server: 'https://cluster.test:$tls.port', proxy-url: $proxy}, user: t
proxy-url also for loopback, whatever NO_PROXY | cluster: {proxy-url: $proxy}, user: t,
| env: {NO_PROXY: '*', HTTPS_PROXY: 'http://127.0.0.1:1'}
proxy-url for http | otherCluster: {server: 'http://cluster.test:$http.port', proxy-url: $proxy}
proxy-url over SOCKS | cluster: {server: 'https://cluster.test:$tls.port', proxy-url: $socks}, user: t
server by its address over SOCKS | cluster: {server: 'https://10.9.8.7:$tls.port', proxy-url: $socks}, user: t
server by an address of another server over SOCKS | cluster: {server: 'https://10.9.8.8:$tls.port', proxy-url: $socks}, user: t
tls-server-name that is an address over a proxy | user: t,
| cluster: {server: 'https://cluster.test:$tls.port', proxy-url: $proxy, tls-server-name: 10.9.8.7}
HTTPS_PROXY over SOCKS | cluster: {server: 'https://cluster.test:$tls.port'}, user: t, env: {HTTPS_PROXY: $socks}
SOCKS for http | otherCluster: {server: 'http://cluster.test:$http.port', proxy-url: $socks}
proxy-url of another scheme | cluster: {server: 'https://cluster.test:$tls.port', proxy-url: 'ftp://127.0.0.1'}, user: t
proxy that refuses | cluster: {server: 'https://cluster.test:$tls.port', proxy-url: $refusingProxy}, user: t
`);

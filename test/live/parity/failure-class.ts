/** Failures that kubectl only tells apart by its words, and the code we give them. */
const words: readonly (readonly [RegExp, string])[] = [
  [/auth info ".*" does not exist/, 'unknown-user'],
  [/cluster ".*" does not exist/, 'unknown-cluster'],
  [/context ".*" does not exist|context was not found/, 'unknown-context'],
  [/error: stat .*no such file/, 'kubeconfig-missing'],
  [/error loading config file/, 'kubeconfig-invalid'],
  [/Invalid timeout value/, 'invalid-request-timeout'],
  [
    /both specified for|must be specified for|only one is allowed|but not both/,
    'connection-invalid',
  ],
  [/unable to read|without impersonating a user|unsupported scheme/, 'connection-invalid'],
  [/in combination with an exec plugin|with the insecure flag/, 'connection-invalid'],
  [/not allowed: policy|not permitted by the credential plugin allowlist/, 'exec-plugin-denied'],
  [/kuberc error|credential plugin policy set to/, 'kuberc-invalid'],
  [/exec: executable .* (not found|failed)/, 'exec-plugin-failed'],
  [/exec plugin|getting credentials: decoding stdout/, 'exec-plugin-failed'],
  [/empty token|open .*: no such file/, 'token-file-unusable'],
  [/id-token|ID Token|refresh token|idp-issuer-url/, 'oidc-failed'],
  [/no Auth Provider found|auth plugin has been removed/, 'unknown-auth-provider'],
  [/unable to load root certificates|private key does not match/, 'certificate-invalid'],
  [/host must be a URL|unsupported protocol scheme/, 'invalid-server'],
  [/: Forbidden$/m, 'proxy-failed'],
  [/unknown authority/, 'tls-unknown-authority'],
  [/certificate is valid for|doesn't contain any IP SANs/, 'tls-hostname-mismatch'],
  [/certificate has expired/, 'tls-expired'],
  [/HTTP response to HTTPS client/, 'tls-not-spoken'],
  [/Client\.Timeout|context deadline exceeded/, 'request-timeout'],
  [/invalid header field value/, 'invalid-request'],
  [/was refused/, 'connection-refused'],
  [/server: EOF/, 'connection-dropped'],
  [/^error: EOF/, 'asked for a user name'],
  [/lookup .*:/, 'unknown-host'],
  [/You must be logged in/, 'HTTP 401'],
  [/^Error from server/, 'HTTP failure'],
];

/** The class of failure in what kubectl wrote to stderr. */
export function classOfKubectlFailure(stderr: string): string {
  return words.find(([pattern]) => pattern.test(stderr))?.[1] ?? `unclassified: ${stderr}`;
}

import { yamlValue } from '../../../src/files/parsing/yaml-value.ts';

/** What users write, as the documentation has it: each field of it is mutated. */
export const scenario = yamlValue(`
apiVersion: kubectl-gc/v1
kind: Scenario
settings: { controllers: ['*', -ttl], terminatedPodGCThreshold: 12500, kubelets: false }
start: running
duration: 10m
requests:
- { verb: deletecollection, apiVersion: v1, kind: Pod, namespace: shop, after: 30s,
    labelSelector: 'app in (web, db),!x' }
- { verb: patch, apiVersion: apps/v1, kind: Deployment, namespace: shop, name: web,
    patchType: merge, patch: { metadata: { finalizers: null } } }
- { verb: patch, apiVersion: apps/v1, kind: Deployment, namespace: shop, name: web,
    patchType: json, patch: [{ op: remove, path: /metadata/finalizers/0 }] }
- { verb: delete, apiVersion: apps/v1, kind: Deployment, namespace: shop, name: web,
    propagationPolicy: Foreground, gracePeriodSeconds: 30,
    preconditions: { uid: uid-web, resourceVersion: '7' } }
- { verb: create, apiVersion: v1, kind: ConfigMap, namespace: shop, name: new,
    object: { apiVersion: v1, kind: ConfigMap, metadata: { name: new, ownerReferences: [] } } }
`);

export const config = yamlValue(`
apiVersion: kubectl-gc/v1
audit:
  skipRules: [missing-owner]
  skipNamespaces: [sandbox-*]
  severities: { duplicate-uid: warning }
  severity: info
  failOn: warning
  baseline: baseline.json
  allowIncomplete: true
  exceptions: [{ rule: event-owner, namespace: shop, name: a*, reason: known, expires: '2026-12-31' }]
`);

export const baseline = {
  apiVersion: 'kubectl-gc/v1',
  kind: 'AuditBaseline',
  findings: ['missing-owner: configmaps shop/a > Deployment/web', 'x: y z'],
};

/** A kubeconfig whose context logs in as `me`, by the plugin `exec`, or by `oidc`. */
export const kubeconfigOf = (user: string) =>
  yamlValue(`
apiVersion: v1
kind: Config
current-context: shop
contexts:
- { name: shop, context: { cluster: shop, user: ${user}, namespace: shop } }
clusters:
- name: shop
  cluster:
    server: https://127.0.0.1:6443
    certificate-authority-data: YQ==
    proxy-url: http://proxy.example.com:3128
    extensions: [{ name: client.authentication.k8s.io/exec, extension: { a: 1 } }]
users:
- name: me
  user: { token: secret-of-me, as: other, as-groups: [a], as-user-extra: { scopes: [x] } }
- name: exec
  user:
    exec: { apiVersion: client.authentication.k8s.io/v1, command: login, args: [--now],
            env: [{ name: A, value: b }], interactiveMode: Never }
- name: oidc
  user: { auth-provider: { name: oidc, config: { id-token: a.b.c } } }
`);

export const kuberc = yamlValue(`
apiVersion: kubectl.config.k8s.io/v1beta1
kind: Preference
credentialPluginPolicy: Allowlist
credentialPluginAllowlist: [{ command: login }]
`);

export const kubelet = yamlValue(`
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
imageGCHighThresholdPercent: 85
imageMinimumGCAge: 2m
evictionHard: { memory.available: 100Mi, imagefs.available: 15% }
evictionSoft: {}
containerLogMaxSize: 10Mi
`);

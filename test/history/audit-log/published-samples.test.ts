import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readAuditLogs } from '../../../src/history/audit-log/read-audit-logs.ts';
import { lines, readText } from './audit-events.ts';

/**
 * Samples that were published of each cloud's log, shortened; names of accounts and addresses are replaced. The field names,
 * their order, and what stands around the event are those of the sample.
 */

/** test/logs/k8s_audit/container_recorder_test_1_1.yaml of GoogleCloudPlatform/khi, Apache-2.0. */
const gkeCreation = {
  insertId: '85371f7c-2383-4041-96e8-dad63d2d1990',
  labels: {
    'authorization.k8s.io/decision': 'allow',
    'pod-security.kubernetes.io/enforce-policy': 'privileged:latest',
  },
  logName: 'projects/sample-project/logs/cloudaudit.googleapis.com%2Factivity',
  operation: {
    first: true,
    id: '85371f7c-2383-4041-96e8-dad63d2d1990',
    last: true,
    producer: 'k8s.io',
  },
  protoPayload: {
    '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
    authenticationInfo: {
      principalEmail: 'system:serviceaccount:kube-system:replicaset-controller',
    },
    authorizationInfo: [
      {
        granted: true,
        permission: 'io.k8s.core.v1.pods.create',
        resource:
          'core/v1/namespaces/1-2-deployment-update/pods/nginx-deployment-surge-8655b4b8c5-xf5f4',
      },
    ],
    methodName: 'io.k8s.core.v1.pods.create',
    request: {
      '@type': 'core.k8s.io/v1.Pod',
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        creationTimestamp: null,
        generateName: 'nginx-deployment-surge-8655b4b8c5-',
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            blockOwnerDeletion: true,
            controller: true,
            kind: 'ReplicaSet',
            name: 'nginx-deployment-surge-8655b4b8c5',
            uid: '6533e65e-d644-42d5-8842-9b075981c4c5',
          },
        ],
      },
      status: {},
    },
    requestMetadata: {
      callerIp: '172.16.0.3',
      callerSuppliedUserAgent:
        'kube-controller-manager/v1.28.14 (linux/amd64) kubernetes/a4ef1a6/system:serviceaccount:kube-system:replicaset-controller',
    },
    resourceName:
      'core/v1/namespaces/1-2-deployment-update/pods/nginx-deployment-surge-8655b4b8c5-xf5f4',
    serviceName: 'k8s.io',
    status: { code: 0 },
  },
  receiveTimestamp: '2024-01-01T01:00:00Z',
  resource: { labels: { cluster_name: 'sample-cluster' }, type: 'k8s_cluster' },
  timestamp: '2024-01-01T01:00:00Z',
};

test('GKE: the creation of a Pod names it, its owner and its uid', async () => {
  const { requests, problems } = await readText(JSON.stringify([gkeCreation], null, 2));
  expect(problems).toEqual([]);
  expect(requests).toMatchObject([
    {
      auditId: '85371f7c-2383-4041-96e8-dad63d2d1990',
      verb: 'create',
      user: 'system:serviceaccount:kube-system:replicaset-controller',
      resource: 'pods',
      namespace: '1-2-deployment-update',
      name: 'nginx-deployment-surge-8655b4b8c5-xf5f4',
      status: 200,
      hasBody: true,
      body: { owners: [{ kind: 'ReplicaSet', name: 'nginx-deployment-surge-8655b4b8c5' }] },
    },
  ]);
});

/** Of elastic/integrations: a request for a path that is no resource, answered with a SubjectAccessReview. */
test('GKE: a request for no resource is passed over', async () => {
  const entry = {
    insertId: 'k8s-0001',
    operation: { first: true, id: 'k8s-0001', last: true, producer: 'k8s.io' },
    protoPayload: {
      authenticationInfo: { principalEmail: 'system:anonymous' },
      authorizationInfo: [{ granted: false, permission: 'io.k8s.get' }],
      methodName: 'io.k8s.get',
      resourceName: 'HNAP1',
      response: { '@type': 'authorization.k8s.io/v1.SubjectAccessReview', metadata: {} },
      serviceName: 'k8s.io',
      status: { code: 7 },
    },
    timestamp: '2021-04-23T14:47:07.535383Z',
  };
  expect(await readText(lines(entry))).toMatchObject({ requests: [], problems: [], events: 1 });
});

const deletion = (fields: object = {}) => ({
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: '10e60f03-0635-429b-b324-315166f249cc',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/shop/secrets/database',
  verb: 'delete',
  ...fields,
  objectRef: { resource: 'secrets', namespace: 'shop', name: 'database', apiVersion: 'v1' },
  responseStatus: {
    metadata: {},
    status: 'Success',
    details: { name: 'database', kind: 'secrets', uid: 'b382c78f-c5fa-462b-8f20-ab65ad94c153' },
    code: 200,
  },
  requestReceivedTimestamp: '2025-04-20T16:29:59.988453Z',
  stageTimestamp: '2025-04-20T16:29:59.994988Z',
  annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
});

const secret = {
  verb: 'delete',
  resource: 'secrets',
  namespace: 'shop',
  name: 'database',
  uid: 'b382c78f-c5fa-462b-8f20-ab65ad94c153',
  isRemoval: true,
};

/** The records of a diagnostic setting, as the documents of Sumo Logic and elastic/integrations show them. */
const aks = (category: string, log: string) => ({
  category,
  operationName: 'Microsoft.ContainerService/managedClusters/diagnosticLogs/Read',
  properties: {
    pod: 'kube-apiserver-57b5944b45-94w49',
    log,
    stream: 'stdout',
    containerID: '5aeef33b3cfdafa517d8e1d8c4fe4e08901d99958bc6ad3ca5c74891120a0c44',
  },
  resourceId:
    '/SUBSCRIPTIONS/0/RESOURCEGROUPS/A/PROVIDERS/MICROSOFT.CONTAINERSERVICE/MANAGEDCLUSTERS/B',
  serviceBuild: 'na',
  time: '2025-04-20T16:29:59.995191417Z',
});

test('AKS: records of kube-audit, kube-audit-admin and other components', async () => {
  const user = { username: 'aksService', groups: ['system:masters', 'system:authenticated'] };
  const event = JSON.stringify(deletion({ user, sourceIPs: ['172.31.35.83'] }));
  const content = lines(
    aks('kube-audit', `${event}\n`),
    aks('kube-audit-admin', `${event}\n`),
    aks('kube-apiserver', 'I0624 20:14:59.855669       1 wrap.go:47] PUT /api/v1/namespaces'),
    aks('cluster-autoscaler', 'I0420 16:36:52.392437       1 orchestrator.go:397] {"a":1}\n'),
  );
  const { requests, problems } = await readText(content);
  expect({ requests, problems }).toMatchObject({
    requests: [{ ...secret, user: 'aksService' }],
    problems: [],
  });
});

test('AKS: a remark in the place of a large body does not say that there are no owners', async () => {
  const body = 'skipped-too-big-size-object';
  const event = { ...deletion(), verb: 'create', level: 'RequestResponse' };
  const [request] = (await readText(lines({ ...event, requestObject: body }))).requests;
  expect(request).toMatchObject({ hasBody: false });
  expect(request?.body?.owners).toBeUndefined();
  const row = {
    Level: 'Request',
    AuditId: 'a1',
    Stage: 'ResponseComplete',
    Verb: 'create',
    ObjectRef: '{"resource":"secrets","namespace":"shop","name":"database"}',
    RequestObject: body,
    ResponseStatus: '{"code":201}',
    StageReceivedTime: '2025-04-20T16:29:59.994988Z',
  };
  expect((await readText(lines(row))).requests).toMatchObject([{ hasBody: false }]);
  const whole = { ...row, RequestObject: '{"metadata":{"ownerReferences":[]}}' };
  expect((await readText(lines(whole))).requests).toMatchObject([{ hasBody: true }]);
});

/** The user of aws-iam-authenticator, as in AWS's own articles on EKS control plane logs. */
const eksUser = {
  username: 'kubernetes-admin',
  uid: 'aws-iam-authenticator:111122223333:AIDAEXAMPLE',
  groups: ['system:masters', 'system:authenticated'],
  extra: {
    accessKeyId: ['AKIAEXAMPLE'],
    arn: ['arn:aws:iam::111122223333:user/jane'],
    canonicalArn: ['arn:aws:iam::111122223333:user/jane'],
    principalId: ['AIDAEXAMPLE'],
    sessionName: [''],
  },
};
const eksEvent = JSON.stringify(deletion({ user: eksUser, sourceIPs: ['203.0.113.7'] }));
const quoted = `"${eksEvent.replaceAll('"', '""')}"`;
const eksForms: Readonly<Record<string, string>> = {
  'Logs Insights, its CSV with the name of the stream': `@logStream,@timestamp,@message\nkube-apiserver-audit-71976ca1,2025-04-20 16:29:59.994,${quoted}\n`,
  'Logs Insights, its CSV with the log group behind': `@timestamp,@message,@logStream,@log\n2025-04-20 16:29:59.994,${quoted},kube-apiserver-audit-7197,111122223333:/aws/eks/shop/cluster\n`,
  'the CSV of a log stream': `timestamp,message\n1745166599994,${quoted}\n`,
  // Firehose writes one record after the other, without a line between them.
  'a subscription through Firehose': ['CONTROL_MESSAGE', 'DATA_MESSAGE']
    .map((messageType) =>
      JSON.stringify({
        messageType,
        owner: '111122223333',
        logGroup: '/aws/eks/shop/cluster',
        logStream: 'kube-apiserver-audit-71976ca1',
        subscriptionFilters: ['audit'],
        logEvents: [
          {
            id: '3701',
            timestamp: 1745166599994,
            message: messageType === 'DATA_MESSAGE' ? eksEvent : 'CWL CONTROL MESSAGE: Checking',
          },
        ],
      }),
    )
    .join(''),
};

test.each(Object.entries(eksForms))('EKS: %s', async (_, content) => {
  const { requests, problems } = await readText(content);
  expect({ requests, problems }).toMatchObject({
    requests: [{ ...secret, user: 'kubernetes-admin' }],
    problems: [],
  });
});

/** oc adm node-logs --path=kube-apiserver/audit.log, and the files that must-gather packs. */
test('OpenShift: an impersonated request, with the name of the node in front of it or without', async () => {
  const event = JSON.stringify(
    deletion({
      user: { username: 'kube:admin', groups: ['system:cluster-admins'] },
      impersonatedUser: { username: 'alice', groups: ['cluster-admins'] },
      userAgent: 'oc/4.16.0 (linux/amd64) kubernetes/a1b2c3d',
    }),
  );
  for (const content of [`${event}\n`, `ip-10-0-140-97.ec2.internal ${event}\n`]) {
    const { requests, problems } = await readText(content);
    expect({ requests, problems }).toMatchObject({
      requests: [{ ...secret, user: 'kube:admin', impersonated: 'alice' }],
      problems: [],
    });
  }
});

/** OpenShift documentation, "Viewing audit logs": the example of the Kubernetes API server. */
const openShiftLine =
  '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"ad209ce1-fec7-4130-8192-c4cc63f1d8cd","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/openshift-kube-controller-manager/configmaps/cert-recovery-controller-lock?timeout=35s","verb":"update","user":{"username":"system:serviceaccount:openshift-kube-controller-manager:localhost-recovery-client","uid":"dd4997e3-d565-4e37-80f8-7fc122ccd785","groups":["system:serviceaccounts","system:serviceaccounts:openshift-kube-controller-manager","system:authenticated"]},"sourceIPs":["::1"],"userAgent":"cluster-kube-controller-manager-operator/v0.0.0 (linux/amd64) kubernetes/$Format","objectRef":{"resource":"configmaps","namespace":"openshift-kube-controller-manager","name":"cert-recovery-controller-lock","uid":"5c57190b-6993-425d-8101-8337e48c7548","apiVersion":"v1","resourceVersion":"574307"},"responseStatus":{"metadata":{},"code":200},"requestReceivedTimestamp":"2020-04-02T08:27:20.200962Z","stageTimestamp":"2020-04-02T08:27:20.206710Z","annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":"RBAC: allowed by ClusterRoleBinding \\"system:openshift:operator:kube-controller-manager-recovery\\" of ClusterRole \\"cluster-admin\\" to ServiceAccount \\"localhost-recovery-client/openshift-kube-controller-manager\\""}}';

test.each([true, false])('OpenShift: its example, with addresses: %s', async (addresses) => {
  const { requests, problems } = await readText(`${openShiftLine}\n`, { addresses });
  expect({ requests, problems }).toMatchObject({
    requests: [
      {
        auditId: 'ad209ce1-fec7-4130-8192-c4cc63f1d8cd',
        verb: 'update',
        user: 'system:serviceaccount:openshift-kube-controller-manager:localhost-recovery-client',
        sourceIps: addresses ? ['::1'] : [],
        resource: 'configmaps',
        namespace: 'openshift-kube-controller-manager',
        name: 'cert-recovery-controller-lock',
        uid: '5c57190b-6993-425d-8101-8337e48c7548',
        status: 200,
      },
    ],
    problems: [],
  });
});

/** gather_audit_logs of openshift/must-gather packs each file of each node, beside lists of them; RKE2 rotates as kube-apiserver does. */
test.each([
  ['must-gather', 'quay-io/audit_logs/kube-apiserver', 'master-0-audit', '.gz'],
  ['RKE2', 'server/logs', 'audit', ''],
])('%s: a folder of rotated files', async (_, folder, name, packed) => {
  const root = mkdtempSync(join(tmpdir(), 'kubectl-gc-logs-'));
  try {
    mkdirSync(join(root, folder), { recursive: true });
    const later = openShiftLine.replaceAll('2020-04-02T08:27:20', '2020-04-02T09:27:20');
    for (const [file, line] of [
      [`${name}.log${packed}`, later],
      [`${name}-2020-04-02T09-00-00.000.log${packed}`, openShiftLine],
    ] as const) {
      writeFileSync(join(root, folder, file), packed ? gzipSync(`${line}\n`) : `${line}\n`);
    }
    writeFileSync(join(root, 'event-filter.html'), '<html></html>');
    const { requests, problems } = await readAuditLogs([root]);
    expect(requests.map(({ answeredAt }) => new Date(answeredAt).getUTCHours())).toEqual([8, 9]);
    expect(problems).toEqual([]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

/** k3s and RKE2 run the controllers in the process of the server. */
test('k3s: a controller by its account', async () => {
  const event = deletion({
    user: { username: 'system:serviceaccount:kube-system:generic-garbage-collector' },
    userAgent:
      'k3s/v1.30.4+k3s1 (linux/amd64) kubernetes/98262b5/system:serviceaccount:kube-system:generic-garbage-collector',
  });
  expect((await readText(lines(event))).requests).toMatchObject([
    { ...secret, user: 'system:serviceaccount:kube-system:generic-garbage-collector' },
  ]);
});

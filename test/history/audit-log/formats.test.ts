import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { event, eventOf, lines, readText } from './audit-events.ts';

const one = event();
const text = JSON.stringify(one);
const read = event({ verb: 'get', auditID: 'c0ffee00-0000-4000-8000-000000000002' });
const { kind: _kind, apiVersion: _version, ...item } = one;
const list = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items: [item] };
const cloudWatch = { timestamp: 1795858200004, message: text, ingestionTime: 1795858209000 };
const filtered = { logStreamName: 'kube-apiserver-audit-1', eventId: '37', ...cloudWatch };
const other = { timestamp: 1795858200004, message: 'I1128 09:30:00.000000 1 trace.go:1] x {}' };
const subscription = { messageType: 'DATA_MESSAGE', logGroup: '/aws/eks/shop/cluster' };
const azure = (log: string) => ({
  time: '2026-11-28T09:30:00.0047500Z',
  category: 'kube-audit-admin',
  operationName: 'Microsoft.ContainerService/managedClusters/diagnosticLogs/Read',
  properties: { log, stream: 'stdout', pod: 'kube-apiserver-1' },
});
const diagnostics = {
  TimeGenerated: '2026-11-28T09:30:00.0047500Z',
  Category: 'kube-audit',
  log_s: `${text}\n`,
};
const row = {
  TimeGenerated: '2026-11-28T09:30:00.0047500Z',
  AuditId: one.auditID,
  Level: 'Metadata',
  Stage: 'ResponseComplete',
  RequestUri: one.requestURI,
  Verb: 'delete',
  User: one.user,
  SourceIps: one.sourceIPs,
  UserAgent: one.userAgent,
  ObjectRef: one.objectRef,
  ResponseStatus: one.responseStatus,
  RequestObject: 'skipped-too-big-size-object',
  RequestReceivedTime: '2026-11-28T09:30:00.00025Z',
  StageReceivedTime: '2026-11-28T09:30:00.00475Z',
};
const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const rowOfTexts = Object.fromEntries(Object.entries(row).map(([key, of]) => [key, asText(of)]));
const columns = Object.keys(row).map((name) => ({ name, type: 'string' }));
const quoted = (field: string) => `"${field.replaceAll('"', '""')}"`;
const csv = (...records: readonly (readonly string[])[]) =>
  records.map((record) => `${record.map(quoted).join()}\r\n`).join('');

/** The same request, as each program writes it. */
const forms: Readonly<Record<string, string>> = {
  'the log backend': lines(one),
  'the log backend of v1beta1': lines({ ...one, apiVersion: 'audit.k8s.io/v1beta1' }),
  'sorted fields': lines(
    Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))),
  ),
  'the webhook backend, a batch a line': lines(list),
  'indented webhook batches': [
    JSON.stringify({ ...list, items: [] }, null, 2),
    JSON.stringify(list, null, 4),
    JSON.stringify({ ...list, items: [] }, null, '\t'),
  ].join('\n'),
  'a list, one event per line': `[\n${JSON.stringify(read)},\n${text}\n]\n`,
  'a list, brackets beside events': `[${JSON.stringify(read)},\n${text}]\n`,
  'a list without indentation': JSON.stringify([one], null, 1).replaceAll(/^ +/gm, ''),
  'a container, by its runtime': `2026-11-28T09:30:00.123456789Z stdout F ${text}\n`,
  'oc adm node-logs, which names the node': `master-0.example.com ${text}\n`,
  "Docker's container log": lines({ log: `${text}\n`, stream: 'stdout', time: '2026' }),
  'CloudWatch, aws logs filter-log-events': JSON.stringify(
    { events: [filtered, other], searchedLogStreams: [] },
    null,
    4,
  ),
  'CloudWatch, a subscription': lines({ ...subscription, logEvents: [{ id: '1', ...cloudWatch }] }),
  'CloudWatch, an export to S3': `2026-11-28T09:30:00.004Z ${text}\n`,
  'CloudWatch, one record a line': lines({
    '@timestamp': '2026-11-28 09:30:00.004',
    '@message': one,
  }),
  'CloudWatch, aws logs get-query-results': JSON.stringify({
    results: [
      [
        { field: '@timestamp', value: '2026-11-28 09:30:00.004' },
        { field: '@message', value: text },
        { field: '@ptr', value: 'Cl' },
      ],
    ],
    status: 'Complete',
  }),
  'CloudWatch, aws logs get-query-results, indented': JSON.stringify(
    { results: [[{ field: '@message', value: text }], [{ field: '@message', value: 'I1128' }]] },
    null,
    4,
  ),
  'CloudWatch, the CSV of its console': csv(
    ['@timestamp', '@message'],
    ['2026-11-28 09:30:00.004', text],
    ['2026-11-28 09:30:00.003', 'time="2026" level=info'],
  ),
  'Azure Monitor, a storage account': lines(azure(text)),
  'Azure Monitor, an event hub': lines({ records: [azure(`${text}\n`), { category: 'guard' }] }),
  'Azure Monitor, another category': lines(azure('I1128 started'), azure(text)),
  'Log Analytics, AzureDiagnostics': lines([diagnostics]),
  'Log Analytics, the CSV of AzureDiagnostics': csv(
    ['TimeGenerated [UTC]', 'log_s'],
    ['11/28/2026, 9:30:00.004 AM', `${text}\n`],
  ),
  'Log Analytics, AKSAudit': lines(row),
  'Log Analytics, AKSAudit of az, indented': JSON.stringify([rowOfTexts], null, 2),
  'Log Analytics, AKSAudit as a CSV': csv(Object.keys(row), Object.values(rowOfTexts)),
  'Log Analytics, an answer of its API': lines({
    tables: [{ name: 'PrimaryResult', columns, rows: [Object.values(row)] }],
  }),
};

const google = (
  fields: Readonly<Record<string, unknown>> = {},
  method = 'core.v1.pods.delete',
) => ({
  insertId: 'not-used',
  logName: 'projects/shop/logs/cloudaudit.googleapis.com%2Factivity',
  operation: { id: one.auditID, first: true, last: true, producer: 'k8s.io' },
  protoPayload: {
    '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
    serviceName: 'k8s.io',
    methodName: `io.k8s.${method}`,
    resourceName: 'core/v1/namespaces/shop/pods/web-1',
    authenticationInfo: { principalEmail: 'jane@example.com' },
    requestMetadata: { callerIp: '192.0.2.10', callerSuppliedUserAgent: one.userAgent },
    status: {},
    ...fields,
  },
  timestamp: '2026-11-28T09:30:00.004750Z',
});

describe('an audit log', () => {
  test.each(Object.entries(forms))('says the same when it comes from %s', async (_, content) => {
    const expected = await readText(lines(one));
    expect(expected.requests).toEqual([
      {
        auditId: one.auditID,
        receivedAt: Date.parse('2026-11-28T09:30:00Z') + 0.25,
        answeredAt: Date.parse('2026-11-28T09:30:00Z') + 4.75,
        verb: 'delete',
        user: 'jane@example.com',
        userAgent: one.userAgent,
        sourceIps: ['192.0.2.10'],
        group: '',
        resource: 'pods',
        subresource: '',
        namespace: 'shop',
        name: 'web-1',
        status: 200,
        isDryRun: false,
        hasBody: false,
        isRemoval: false,
      },
    ]);
    for (const chunkBytes of [1 << 20, 7]) {
      const { requests, problems } = await readText(content, { chunkBytes });
      expect({ requests, problems }).toEqual({ requests: expected.requests, problems: [] });
    }
  });

  test.each([
    ['one entry a line', lines(google())],
    ['gcloud logging read --format=json', JSON.stringify([google(), google()], null, 2)],
  ])('gives equal requests from Cloud Logging: %s', async (_, content) => {
    const [expected] = (await readText(lines(one))).requests;
    const { requests, problems } = await readText(content);
    const receivedAt = expected?.answeredAt;
    expect({ requests, problems }).toEqual({
      requests: [{ ...expected, receivedAt }],
      problems: [],
    });
  });

  test.each([
    ['gzip', gzipSync(lines(one))],
    ['several members of gzip', Buffer.concat([gzipSync(lines(read)), gzipSync(lines(one))])],
    ['zstd', zstdCompressSync(lines(one))],
    ['UTF-16, as PowerShell writes it', Buffer.from(`\ufeff${lines(one)}`, 'utf16le')],
  ])('is read from %s', async (_, content) => {
    const { requests, problems } = await readText(content);
    expect({ names: requests.map(({ name }) => name), problems }).toEqual({
      names: ['web-1'],
      problems: [],
    });
  });

  test('may change its form from line to line', async () => {
    const content = [
      lines(eventOf('a', 1)),
      JSON.stringify({ ...list, items: [eventOf('b', 2)] }, null, 2),
      `\n${lines(azure(JSON.stringify(eventOf('c', 3))))}`,
      lines({ ...list, items: [eventOf('d', 4), eventOf('e', 5)] }),
    ].join('');
    const { requests, problems } = await readText(content, { chunkBytes: 11 });
    expect(requests.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(problems).toEqual([]);
  });
});

/** What Cloud Audit Logs say in their own way. */
const googleForms: readonly (readonly [string, ReturnType<typeof google>, object])[] = [
  [
    'a group, and a subresource',
    google(
      { resourceName: 'apps/v1/namespaces/shop/deployments/web/scale' },
      'apps.v1.deployments.scale.update',
    ),
    { group: 'apps', resource: 'deployments', subresource: 'scale', name: 'web', verb: 'update' },
  ],
  [
    'an eviction',
    google(
      { resourceName: 'core/v1/namespaces/shop/pods/web-1/eviction' },
      'core.v1.pods.eviction.create',
    ),
    { resource: 'pods', subresource: 'eviction', name: 'web-1', verb: 'create' },
  ],
  [
    'a Namespace',
    google({ resourceName: 'core/v1/namespaces/shop' }, 'core.v1.namespaces.delete'),
    { resource: 'namespaces', namespace: '', name: 'shop' },
  ],
  [
    'the subresource of a Namespace',
    google(
      { resourceName: 'core/v1/namespaces/shop/finalize' },
      'core.v1.namespaces.finalize.update',
    ),
    { resource: 'namespaces', subresource: 'finalize', namespace: '', name: 'shop' },
  ],
  [
    'a reversed group',
    google(
      { resourceName: 'rbac.authorization.k8s.io/v1/clusterroles/view' },
      'authorization.rbac.v1.clusterroles.delete',
    ),
    { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', namespace: '', name: 'view' },
  ],
  [
    'a collection',
    google({ resourceName: 'core/v1/namespaces/shop/pods' }, 'core.v1.pods.deletecollection'),
    { verb: 'deletecollection', resource: 'pods', namespace: 'shop', name: '' },
  ],
  [
    'an authority selector',
    google({
      authenticationInfo: { principalEmail: 'jane@example.com', authoritySelector: 'robot' },
    }),
    { user: 'jane@example.com', impersonated: 'robot' },
  ],
  [
    'a delegation',
    google({
      authenticationInfo: {
        principalEmail: 'deploy@shop.iam.gserviceaccount.com',
        serviceAccountDelegationInfo: [
          { firstPartyPrincipal: { principalEmail: 'jane@example.com' } },
        ],
      },
    }),
    { user: 'jane@example.com', impersonated: 'deploy@shop.iam.gserviceaccount.com' },
  ],
  [
    'a principalSubject alone',
    google({ authenticationInfo: { principalSubject: 'principal://iam.example/subject/jane' } }),
    { user: 'principal://iam.example/subject/jane', impersonated: undefined },
  ],
  [
    'a dry run, in a label',
    { ...google(), labels: { 'command.gke.io/dryRun': 'All' } } as ReturnType<typeof google>,
    { isDryRun: true },
  ],
  [
    'DeleteOptions and the response',
    google({
      request: { '@type': 'meta.k8s.io/__internal.DeleteOptions', propagationPolicy: 'Foreground' },
      response: {
        '@type': 'core.k8s.io/v1.Pod',
        metadata: { uid: 'u1', finalizers: ['a.example/b'] },
      },
    }),
    {
      propagationPolicy: 'Foreground',
      uid: 'u1',
      body: expect.objectContaining({ finalizers: ['a.example/b'] }),
    },
  ],
];

describe('Cloud Audit Logs', () => {
  test.each(googleForms)('say %s', async (_, entry, expected) => {
    expect((await readText(lines(entry))).requests).toEqual([expect.objectContaining(expected)]);
  });

  test.each([
    ['PERMISSION_DENIED', { status: { code: 7, message: 'denied' } }],
    ['RESOURCE_EXHAUSTED', { status: { code: 8 } }],
    ['a Status in the answer', { response: { '@type': 'core.k8s.io/v1.Status', code: 429 } }],
  ])('count %s as a refusal', async (_, fields) => {
    expect(await readText(lines(google(fields)))).toMatchObject({ requests: [], events: 1 });
  });

  test('keep a request whose answer is a Status of success, which has no code', async () => {
    const response = {
      '@type': 'core.k8s.io/v1.Status',
      status: 'Success',
      details: { uid: 'u1' },
    };
    const { requests } = await readText(lines(google({ response })));
    expect(requests).toMatchObject([{ status: 200, uid: 'u1', body: undefined }]);
  });

  test('have entries of other services and of the beginning of long requests, which are passed by', async () => {
    const beginning = { ...google(), operation: { id: 'x', first: true } };
    const others = [
      {
        ...google({ serviceName: 'container.googleapis.com', methodName: 'google.container.v1.X' }),
      },
      { insertId: 'a', logName: 'projects/shop/logs/stdout', textPayload: 'hello' },
    ];
    expect(await readText(lines(beginning, ...others))).toMatchObject({
      requests: [],
      problems: [],
    });
  });
});

import { expect, test } from 'vitest';
import { redactHistory } from '../../src/commands/deleted/redact-history.ts';
import type { AuditedRequest } from '../../src/history/audited-request.ts';

const name = 'top-secret';

const owner = {
  apiVersion: `${name}/v1`,
  kind: name,
  name,
  uid: name,
  controller: undefined,
  blockOwnerDeletion: undefined,
};

const request: Required<AuditedRequest> = {
  auditId: name,
  receivedAt: 1,
  answeredAt: 2,
  verb: 'delete',
  user: name,
  impersonated: name,
  userAgent: name,
  sourceIps: [name],
  group: name,
  resource: name,
  subresource: '',
  namespace: name,
  name,
  uid: name,
  isRemoval: true,
  status: 200,
  isDryRun: false,
  hasBody: true,
  labelSelector: `app=${name}`,
  fieldSelector: `metadata.name=${name}`,
  propagationPolicy: 'Background',
  guard: { verdict: 'warn', objects: '1', kinds: `1 ${name}` },
  body: {
    owners: [owner],
    finalizers: [`${name}/final`],
    isBeingDeleted: true,
    generateName: 'web-',
    replicas: 1,
  },
};

test('no text of a request is in a redacted history', () => {
  const { sources, placeOf } = redactHistory({ requests: [request] });
  expect(sources.requests).toHaveLength(1);
  expect(JSON.stringify(sources)).not.toContain(name);
  expect(JSON.stringify(placeOf({ resource: name, namespace: name, name }))).not.toContain(name);
});

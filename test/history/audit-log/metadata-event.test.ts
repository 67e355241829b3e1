import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { auditedRequestOf } from '../../../src/history/audit-log/audited-request-of.ts';
import { type EventFields, eventFieldsOf } from '../../../src/history/audit-log/event-fields.ts';
import { metadataEventIn } from '../../../src/history/audit-log/metadata-event.ts';
import { firstFieldsOf } from '../../../src/history/audit-log/unneeded-events.ts';
import { event, lines } from './audit-events.ts';

const recordings = 'test/fixtures/audit-logs';
const recorded = readdirSync(recordings).flatMap((name) => {
  const file = readFileSync(join(recordings, name, 'audit.log.gz'));
  return gunzipSync(file).toString().trimEnd().split('\n');
});

/** As the line is read without JSON.parse; undefined where it is not. */
function readFrom(line: string): EventFields | undefined {
  const first = firstFieldsOf(line);
  return first && metadataEventIn(line, first);
}

/** What is kept of an event. */
const keptOf = (event: EventFields | undefined) => event && auditedRequestOf(event, false);
const parsed = (line: string) => keptOf(eventFieldsOf(JSON.parse(line)));

test('an event of level Metadata that an API server wrote says what its JSON says', () => {
  let read = 0;
  for (const line of recorded) {
    const found = readFrom(line);
    if (!found) continue;
    read++;
    expect(keptOf(found), line).toEqual(parsed(line));
  }
  const answered = recorded.filter((line) => /"level":"Metadata".*"code":2/.test(line));
  expect(read).toBeGreaterThan(answered.length * 0.9);
});

const whole = lines(
  event({
    requestURI: '/api/v1/namespaces/shop/pods/web-1?dryRun=All&fieldManager=x',
    user: { username: 'jane', uid: '1', groups: ['a', 'b'], extra: { scopes: ['c'], none: [] } },
    objectRef: { resource: 'pods', namespace: 'shop', name: 'web-1', uid: 'u1', apiVersion: 'v1' },
    responseStatus: {
      metadata: {},
      status: 'Success',
      details: { name: 'web-1', kind: 'pods', uid: 'u1' },
      code: 200,
    },
    annotations: { 'authorization.k8s.io/reason': 'RBAC: allowed by "admin" \\ \u00e9' },
  }),
)
  .trimEnd()
  .replace('"sourceIPs"', '"impersonatedUser":{"username":"robot","groups":[]},"sourceIPs"');

test('all fields of an event are read', () => {
  const found = readFrom(whole);
  expect(keptOf(found)).toEqual(parsed(whole));
  expect(keptOf(found)).toMatchObject({ isDryRun: true, impersonated: 'robot', uid: 'u1' });
});

test.each(['', '"', '\\', ',', '}', ']', '{', 'a', '\t'])(
  'no line that is damaged by %j is taken for another event',
  (written) => {
    for (let at = 0; at < whole.length; at++) {
      const line = whole.slice(0, at) + written + whole.slice(at + 1);
      const found = readFrom(line);
      if (found) expect(keptOf(found), line).toEqual(parsed(line));
    }
  },
);

test('what the guard noted is left to a reader of the whole event', () => {
  const annotations = { 'guard.kubectl-gc.io/verdict': 'approved' };
  expect(readFrom(lines(event({ annotations })).trimEnd())).toBeUndefined();
});

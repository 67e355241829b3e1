import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { forecastReport } from '../../../src/questions/forecast/document.ts';
import { forecastSummary, forecastTable } from '../../../src/questions/forecast/text.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import { builderOf, node, pod, snapshotOf } from '../../support/builders.ts';

const now = Date.parse('2026-01-31T12:00:00Z');

test('on a terminal, events that are certain stand before those that only may happen', () => {
  const labels = { 'cleanup.kyverno.io/ttl': '1h' };
  const maybe = Array.from({ length: 9 }, (_, at) =>
    builderOf('v1', 'ConfigMap')(`preview-${at}`, {
      ...{ labels, namespace: `preview-${at}`, creationTimestamp: '2026-01-31T11:10:00Z' },
    }),
  );
  const certain = Array.from({ length: 4 }, (_, at) =>
    builderOf('certificates.k8s.io/v1', 'CertificateSigningRequest')(`csr-${at}`, {
      ...{ namespace: '', creationTimestamp: `2026-01-30T12:${20 + at}:00Z`, facts: {} },
    }),
  );
  const report = forecastReport(snapshotOf([...maybe, ...certain]), {
    ...{ now, within: 2 * 3_600_000, settings: defaultControllerSettings },
  });
  const text = forecastTable(report, { colour: false, width: 80, now });
  const rows = text.split('\n').filter((line) => /ConfigMap|CertificateSigning/.test(line));
  const kinds = rows.map((row) => (row.includes('ConfigMap') ? 'may' : 'certain'));
  expect(kinds.slice(0, 1)).toEqual(['certain']);
  expect(kinds).toEqual(kinds.toSorted());
  expect(report.items[0]?.object.kind).toBe('ConfigMap');
});

test('what a webhook without a server refuses is refused, not stuck', () => {
  const lost = pod('lost', { facts: { nodeName: 'gone', phase: 'Failed' } });
  const judge = builderOf('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration')(
    'judge',
    {
      facts: {
        webhooks: [
          {
            name: 'a.example.com',
            clientConfig: { service: { namespace: 'ops', name: 'gone' } },
            rules: [{ operations: ['DELETE'], apiGroups: [''], resources: ['pods'] }],
          },
        ],
      },
    },
  );
  const ready = node('ready', { facts: { conditions: [{ type: 'Ready', status: 'True' }] } });
  const summary = (...more: readonly ObjectRecord[]) =>
    forecastSummary(
      forecastReport(snapshotOf([ready, lost, ...more]), {
        ...{ now, within: 3_600_000, settings: defaultControllerSettings },
      }),
    );
  expect(summary()).toBe('1 event: 1 will be deleted.');
  expect(summary(judge)).toBe('1 event: 1 will be refused.');
});

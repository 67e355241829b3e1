import { expect, test } from 'vitest';
import { podGcPreview, withRefusedPods } from '../../../src/questions/podgc-preview/document.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import { builderOf, node, pod, snapshotOf } from '../../support/builders.ts';

test('a Pod that a webhook without a server keeps is refused, and the others are not', () => {
  const lost = ['a', 'b'].map((name) =>
    pod(name, { facts: { nodeName: 'gone', phase: 'Failed' } }),
  );
  const ready = node('ready', { facts: { conditions: [{ type: 'Ready', status: 'True' }] } });
  const preview = podGcPreview(snapshotOf([ready, ...lost]), {
    now: Date.parse('2026-02-01T00:00:00Z'),
    settings: defaultControllerSettings,
    source: 'default',
  });
  const configuration = builderOf(
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration',
  )('judge');
  const refusal = { configuration, webhook: 'a.example.com', because: 'no server', fix: '' };
  const refused = withRefusedPods(preview, new Map([[lost[0]?.uid ?? '', refusal]]));
  expect(refused.items.map(({ object, refused: why }) => [object.name, why])).toEqual([
    ['a', 'no server'],
    ['b', undefined],
  ]);
});

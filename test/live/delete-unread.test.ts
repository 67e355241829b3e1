import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { playground } from './delete-playground.ts';

/** What could not be read is unknown, in previews, questions, deletions and backups. */
const plane = sharedControlPlane();
const { run, remove } = playground(plane);
afterAll(remove);

describe('a kind whose conversion webhook does not answer', () => {
  const definition =
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/scrolls.unread.example.com';

  beforeAll(async () => {
    const versions = ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object' } },
    }));
    await plane.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'scrolls.unread.example.com' },
      spec: {
        group: 'unread.example.com',
        scope: 'Namespaced',
        names: { kind: 'Scroll', plural: 'scrolls', singular: 'scroll', listKind: 'ScrollList' },
        versions,
      },
    });
    await plane.create('/api/v1/namespaces', { metadata: { name: 'unread-kind' } });
    const scrolls = '/apis/unread.example.com/v1/namespaces/unread-kind/scrolls';
    await eventually('scrolls are served', async () =>
      (await plane.request(scrolls)).status === 200 ? true : undefined,
    );
    await plane.create(scrolls, {
      apiVersion: 'unread.example.com/v1',
      kind: 'Scroll',
      metadata: { name: 'iliad' },
    });
    const clientConfig = { url: 'https://127.0.0.1:1/' };
    const webhook = { clientConfig, conversionReviewVersions: ['v1'] };
    await plane.patch(definition, { spec: { conversion: { strategy: 'Webhook', webhook } } });
    await eventually('scrolls cannot be listed', async () =>
      (await plane.request('/apis/unread.example.com/v2/scrolls')).status >= 429 ? true : undefined,
    );
  }, 60_000);

  afterAll(async () => {
    await plane.patch(definition, { spec: { conversion: { strategy: 'None', webhook: null } } });
    for (const path of [definition, '/api/v1/namespaces/unread-kind']) {
      await plane.request(path, { method: 'DELETE' });
    }
  }, 60_000);

  test('its definition may stay, and its instances are not said to be none', async () => {
    const { code, stdout, stderr } = await run('crd/scrolls.unread.example.com --preview');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Warning: cannot list scrolls\.unread\.example\.com/m);
    expect(stdout).toMatch(/^1 unknown: 1 CustomResourceDefinition$/m);
    expect(stdout).toMatch(/^perhaps more: scrolls\.unread\.example\.com could not be read$/m);
    expect(stdout).toMatch(/whether it goes is unknown: scrolls\.unread\.example\.com could not/);
    expect(stdout).not.toMatch(/no instance of it/);
  }, 120_000);

  test('its namespace may stay, and holds at least what was seen', async () => {
    const { code, stdout } = await run('ns/unread-kind --preview');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^at least \d+ (deleted|recreated): /m);
    expect(stdout).toMatch(/^1 unknown: 1 Namespace$/m);
    expect(stdout).toMatch(
      /Namespace unread-kind is deleted with at least \d+ objects in it: .* What it holds of scrolls\.unread\.example\.com is unknown\.$/m,
    );
    expect(stdout).not.toMatch(/nothing is left/);
  }, 120_000);

  test('neither is deleted without being asked to do so blindly', async () => {
    for (const target of ['crd/scrolls.unread.example.com', 'ns/unread-kind']) {
      const { code, stdout, stderr } = await run(`${target} --no-backup`);
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toMatch(/^error: not everything that would go along could be read/m);
    }
  }, 120_000);
});

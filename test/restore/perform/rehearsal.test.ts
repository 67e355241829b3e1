import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { fakeApi, refusal } from '../../perform/send/fake-api.ts';
import { kube, ownedBy, saved } from '../saved.ts';
import { run } from './run-restore.ts';

const dryRun = true;

describe('a rehearsal does not check what needs an object that is to be created', () => {
  const bank = saved(kube('v1 Namespace bank'));
  const inBank = (text: string, metadata: object = {}) =>
    saved(kube(text, { namespace: 'bank', ...metadata }));

  test('its namespace', async () => {
    const api = fakeApi();
    const owned = inBank('v1 Secret key', ownedBy('v1 ConfigMap app'));
    expect(
      (await run([bank, inBank('v1 ConfigMap app'), owned], api, { dryRun })).join('\n'),
    ).toMatchInlineSnapshot(`
      "bank: created
      app: not-checked not checked: its namespace is to be created
      key: not-checked not checked: its namespace is to be created"
    `);
    expect(api.writes).toHaveLength(1);
  });

  test('but does check it where that is refused', async () => {
    const api = fakeApi();
    const missing = refusal(404, 'NotFound', 'namespaces "bank" not found');
    api.before = ({ path }) =>
      path.startsWith('/api/v1/namespaces?') ? refusal(403, 'Forbidden', 'no') : missing;
    expect(await run([bank, inBank('v1 ConfigMap app')], api, { dryRun })).toEqual([
      'bank: refused no',
      'app: refused namespaces "bank" not found',
    ]);
  });

  test('the definition of its kind, or an owner of such a kind', async () => {
    const types = new ResourceTypes(builtInTypes, { exhaustive: true });
    const gadget = 'example.com/v1 Gadget top';
    const objects = [
      saved(kube('apiextensions.k8s.io/v1 CustomResourceDefinition gadgets.example.com')),
      saved(kube(gadget)),
      saved(kube('v1 Pod part', ownedBy(gadget))),
    ];
    expect((await run(objects, fakeApi(), { dryRun, types })).join('\n')).toMatchInlineSnapshot(`
      "gadgets.example.com: created
      top: not-checked not checked: its definition is to be created
      part: not-checked not checked: its owner Gadget top is to be created"
    `);
  });

  describe('a role, or a ServiceAccount', () => {
    const group = 'rbac.authorization.k8s.io';
    const roleRef = { apiGroup: group, kind: 'Role', name: 'reader' };
    const objects = [
      saved(kube(`${group}/v1 RoleBinding reader`, {}, { roleRef })),
      saved(kube(`${group}/v1 Role reader`)),
    ];
    const ended = async (message: string, options: object) => {
      const api = fakeApi();
      api.before = ({ method, path }) =>
        method === 'POST' && path.includes('rolebindings')
          ? refusal(404, 'NotFound', message)
          : undefined;
      return (await run(objects, api, options)).at(-1);
    };
    const missing = `roles.${group} "reader" not found`;

    test('that the server does not find', async () => {
      expect(await ended(missing, { dryRun })).toMatchInlineSnapshot(
        `"reader: not-checked not checked: Role reader in namespace shop is to be created"`,
      );
    });

    test.each([
      ['after an unrelated refusal', 'quota "other" not found', { dryRun }],
      ['without a dry run', missing, {}],
    ])('%s', async (_, message, options) => {
      expect(await ended(message, options)).toMatch(/^reader: refused /);
    });
  });
});

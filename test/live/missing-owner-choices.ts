import { stripVTControlCharacters } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { askingOf } from '../support/asking.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { onTerminal } from './on-terminal.ts';

/**
 * Objects whose owners are gone: what is meant is answered first, then the garbage collector starts. On a control plane
 * of which no controller runs yet.
 */
export function missingOwnerChoices(plane: ControlPlane): void {
  let owner: KubeObject;
  const { run: gc } = askingOf(plane);

  beforeAll(async () => {
    await plane.make('Namespace choices');
    await plane.make('ServiceAccount choices/default');
    owner = await plane.make('ConfigMap choices/owner');
  });

  function create(name: string, reference: object) {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', uid: 'former', ...reference }];
    return plane.make(`ConfigMap choices/${name}`, { metadata: { ownerReferences } });
  }

  async function stored(kind = 'ConfigMap'): Promise<Record<string, unknown>> {
    const found = await plane.list(`${kind} choices/`);
    return Object.fromEntries(
      found.flatMap(({ metadata: { name, ownerReferences } }) => {
        const references = ownerReferences as { uid: string }[] | undefined;
        return name === 'owner' ? [] : [[String(name), references?.map(({ uid }) => uid)]];
      }),
    );
  }

  const line = 'invalid-ownerrefs configmaps -n choices --fix -o name';

  test('without an answer it is let go, and that is said', async () => {
    await create('left', { name: 'gone' });
    const { code, stderr } = await gc(`${line} --yes`);
    expect([code, stderr]).toEqual([
      0,
      `configmap/left in namespace choices: allow its deletion: the garbage collector deletes it. That is the default; see --missing-owner=keep.
No finding can be fixed by an edit.
`,
    ]);
    expect(await stored()).toEqual({ left: ['former'] });
  });

  test('on a terminal each object is asked about, and a answers for all that follow', async () => {
    for (const name of ['kept', 'kept-too', 'last']) await create(name, { name: 'gone' });
    for (const name of ['linked', 'refused']) await create(name, { name: 'owner' });
    const { code, shown } = await onTerminal(line, {
      env: { KUBECONFIG: plane.kubeconfigPath },
      at: 'that follow): ',
      typed: 'k\r',
      further: [
        { at: 'Choose one (L/k; append a for all that follow): ', typed: '?\r' },
        { at: 'that follow): ', typed: 'k\r' },
        { at: 'configmap/last', typed: '' },
        { at: 'that follow): ', typed: '\r' },
        { at: 'configmap/left', typed: '' },
        { at: 'that follow): ', typed: 'l\r' },
        { at: '  r  re-link it: point the reference at the ConfigMap', typed: '' },
        { at: 'Choose one (l/k/R; ', typed: '\r' },
        { at: 'configmap/refused', typed: '' },
        { at: 'that follow): ', typed: 'la\r' },
        { at: 'Fix these 3 objects? (y/N): ', typed: 'y\r' },
      ],
    });
    expect(code, shown).toBe(0);
    expect(await stored()).toEqual({
      kept: undefined,
      'kept-too': undefined,
      last: ['former'],
      left: ['former'],
      linked: [owner.metadata.uid],
      refused: ['former'],
    });
    const words = stripVTControlCharacters(shown).replaceAll('\r\n', '\n');
    expect(words).toContain(
      `configmap/kept in namespace choices, configmap/kept-too in namespace choices: keep it: remove the reference; it then remains until someone deletes it.
configmap/last in namespace choices, configmap/left in namespace choices, configmap/refused in namespace choices: allow its deletion: the garbage collector deletes it.
`,
    );
    // As before, it is done again with the answers as flags.
    for (const [name, former] of [
      ['kept', 'gone'],
      ['kept-too', 'gone'],
      ['linked', 'owner'],
    ]) {
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', uid: 'former', name: former };
      await plane.patch(`ConfigMap choices/${name}`, {
        metadata: { ownerReferences: [reference] },
      });
    }
    expect(Object.values(await stored()).flat()).toEqual(Array(6).fill('former'));
    for (const [choice, name] of [
      ['keep', 'kept'],
      ['keep', 'kept-too'],
      ['relink', 'linked'],
      ['let-go', 'refused'],
    ]) {
      const only = `--field-selector metadata.name=${name} --missing-owner=${choice}`;
      const { code: ended, stderr } = await gc(`${line} --yes ${only}`);
      expect(ended, stderr).toBe(0);
    }
  });

  test('a kept pod of a ReplicaSet that is gone: nothing manages it, and that is said', async () => {
    const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'former' };
    await plane.make('Pod choices/web-1', {
      metadata: { ownerReferences: [{ ...set, controller: true }] },
      spec: { containers: [{ name: 'web', image: 'example.com/web:1' }] },
    });
    const { code, stderr } = await gc(
      'invalid-ownerrefs pods -n choices --fix -o name --yes --missing-owner=keep',
    );
    expect([code, stderr.split('\n')[0]]).toEqual([
      0,
      'pod/web-1 in namespace choices: keep it: remove the reference; it then remains until someone deletes it, and nothing manages it: no ReplicaSet replaces it when it fails or its node goes, unless one with a matching selector adopts it.',
    ]);
  });

  test('each ends as it was said', async () => {
    await plane.startControllers(['garbage-collector-controller', 'replicaset-controller']);
    await eventually('the released objects deleted', async () => {
      const names = Object.keys(await stored());
      return !names.some((name) => ['last', 'left', 'refused'].includes(name));
    });
    expect(await stored()).toEqual({
      kept: undefined,
      'kept-too': undefined,
      linked: [owner.metadata.uid],
    });
    expect(await stored('Pod')).toEqual({ 'web-1': undefined });
    // What was re-linked goes with its new owner; what was kept does not.
    await plane.remove('ConfigMap choices/owner');
    await eventually(
      'the dependent of its owner deleted',
      async () => !('linked' in (await stored())),
    );
    expect(Object.keys(await stored())).toEqual(['kept', 'kept-too']);
  });
}

import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';

const cases = [
  'deployment/web -n shop --from examples/clusters/shop.json.gz',
  'kustomization/apps -n flux-system --from docs/deletions/flux.yaml',
  'configmap/left -n loop --from docs/deletions/loop.yaml --complete',
  'namespace/shop --from examples/clusters/shop.json.gz',
  'node/worker-1 --from examples/clusters/shop.json.gz',
];

test.each(cases)(
  'delete %s --compare warns of all that the preview with each policy warns of',
  async (line) => {
    const documentOf = async (how: string) => {
      const { code, stdout } = await gcHere(`delete ${line} ${how} -o json`);
      expect(code).toBe(0);
      return JSON.parse(stdout);
    };
    const comparison = await documentOf('--compare');
    for (const policy of ['background', 'foreground', 'orphan']) {
      const preview = await documentOf(`--preview --cascade=${policy}`);
      const said = (remarks: readonly { code: string; message: string; policies?: string[] }[]) =>
        remarks
          .filter(({ policies }) => policies?.includes(policy) ?? true)
          .map(({ code, message }) => `${code} ${message}`)
          .sort();
      expect(said(comparison.remarks)).toEqual(said(preview.remarks));
      const fates = new Map(
        preview.objects.map(({ uid, fate }: { uid: string; fate: string }) => [uid, fate]),
      );
      for (const { object, ...by } of comparison.objects) {
        const fate = fates.get(object.uid) ?? 'untouched';
        expect([object.name, by[policy].fate]).toEqual([object.name, fate]);
      }
    }
  },
);

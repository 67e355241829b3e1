import { describe, expect, test } from 'vitest';
import { patience } from '../../cluster/fake-client.ts';
import { fakeApi, refusal } from '../../perform/send/fake-api.ts';
import { kube, saved } from '../saved.ts';
import { run } from './run-restore.ts';

const quotas = '/api/v1/namespaces/shop/resourcequotas/quota';
const hard = { pods: '5' };
const quota = saved(kube('v1 ResourceQuota quota', {}, { spec: { hard } }));
const limits = saved(kube('v1 LimitRange limits'));
const settings = saved(kube('v1 ConfigMap settings'));
const pod = saved(kube('v1 Pod web'));

describe('a ResourceQuota', () => {
  /** The quota controller counts when the quota is looked at for the third time. */
  const counting = (isAtWork: boolean) => {
    const api = fakeApi();
    let looks = 0;
    api.before = ({ method = 'GET', path }) => {
      const live = api.stored.get(quotas);
      if (method === 'GET' && path.startsWith(quotas) && live && ++looks === 3 && isAtWork) {
        api.stored.set(quotas, { ...live, status: { hard, used: { pods: '0' } } });
      }
      return undefined;
    };
    return api;
  };

  test('is counted before Pods are created', async () => {
    const api = counting(true);
    const seen: unknown[] = [];
    api.after = ({ method, path }) => {
      if (method === 'POST' && path.includes('/pods')) seen.push(api.stored.get(quotas)?.status);
    };
    const retry = patience();
    expect(await run([pod, quota], api, { retry })).toEqual(['quota: created', 'web: created']);
    expect(seen).toEqual([{ hard, used: { pods: '0' } }]);
    expect(retry.waits).toEqual([500, 500, 2000]);
  });

  test('that nobody counts is waited for half a minute, and named', async () => {
    const retry = patience();
    expect((await run([pod, quota], counting(false), { retry })).join('\n')).toMatchInlineSnapshot(`
      "quota: created it was not counted half a minute after it was created
      web: created"
    `);
    expect(retry.waits.filter((wait) => wait === 500)).toHaveLength(59);
  });

  test('is not waited for in a rehearsal', async () => {
    const retry = patience();
    await run([pod, quota, limits], counting(false), { retry, dryRun: true });
    expect(retry.waits).toEqual([]);
  });
});

describe('a restoration waits two seconds for API servers to read what they watch', () => {
  const waitsOf = async (objects: Parameters<typeof run>[0], api = fakeApi()) => {
    const retry = patience();
    await run(objects, api, { retry });
    return retry.waits;
  };

  test('before the next is created', async () => {
    expect(await waitsOf([limits, pod])).toEqual([2000]);
  });

  test('not where nothing follows, or nothing else is restored', async () => {
    expect(await waitsOf([limits])).toEqual([]);
    expect(await waitsOf([settings, pod])).toEqual([]);
  });

  test('not where it was refused', async () => {
    const api = fakeApi();
    api.before = ({ method, path }) =>
      method === 'POST' && path.includes('limitranges')
        ? refusal(403, 'Forbidden', 'no')
        : undefined;
    expect(await waitsOf([limits, pod], api)).toEqual([]);
  });
});

describe('a StatefulSet does not start without a claim that was restored with its data', () => {
  const claims = '/api/v1/namespaces/shop/persistentvolumeclaims';
  const template = { metadata: { name: 'data' } };
  const set = saved(
    kube('apps/v1 StatefulSet db', {}, { spec: { volumeClaimTemplates: [template] } }),
  );
  const spec = { volumeName: 'disk' };
  const claim = saved(kube('v1 PersistentVolumeClaim data-db-0', {}, { spec }));
  const there = [kube('v1 PersistentVolume disk')];
  const left =
    'db: refused not created: PersistentVolumeClaim data-db-0 in namespace shop, which it needs, was not restored';

  test('and was refused', async () => {
    const api = fakeApi();
    api.before = ({ method, path }) =>
      method === 'POST' && path.startsWith(claims) ? refusal(403, 'Forbidden', 'no') : undefined;
    expect(await run([set, claim], api, { there })).toEqual(['data-db-0: refused no', left]);
  });

  test('and is there with another volume meanwhile', async () => {
    const metadata = { uid: 'made' };
    const made = kube('v1 PersistentVolumeClaim data-db-0', metadata, {
      spec: { volumeName: 'empty' },
    });
    const api = fakeApi([`${claims}/data-db-0`, made]);
    expect(await run([set, claim], api, { there })).toEqual([
      expect.stringMatching(/^data-db-0: faulty .* volume empty/),
      left,
    ]);
  });
});

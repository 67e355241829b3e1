import { beforeAll, expect, test } from 'vitest';
import { webhookFor } from '../support/admission.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';
import { makeDeadApi } from '../support/served-kinds.ts';
import { workload } from '../support/workload.ts';

/**
 * What a preview warns of comes true: what asks a Service that goes does not get an answer. No namespace is deleted to
 * its end on this control plane any more.
 */
export function leftWithoutBackend(plane: ControlPlane): void {
  const service = { namespace: 'hooks', name: 'hook' };

  beforeAll(async () => {
    for (const name of ['hooks', 'shop'])
      await plane.make(`Namespace ${name}`, { metadata: { labels: { name } } });
    const spec = { selector: { app: 'hook' }, ports: [{ port: 443 }] };
    await plane.make('Service hooks/hook', { spec });
    await plane.make('Deployment hooks/hook', workload('hook', { replicas: 1 }));
    await eventually('its pod', async () => {
      const { items } = await plane.get<{ items: unknown[] }>('/api/v1/namespaces/hooks/pods');
      return items.length === 1;
    });
    const more = { service, insecureSkipTLSVerify: true };
    await makeDeadApi(plane, 'things.example.org', 'v1', more);
    const webhook = webhookFor('*', 'configmaps', {
      clientConfig: { service },
      namespaceSelector: { matchLabels: { name: 'shop' } },
    });
    await plane.make('ValidatingWebhookConfiguration checks', webhook);
  });

  test.each(['deployment/hook -n hooks', 'service/hook -n hooks', 'namespace/hooks'])(
    'a preview of %s names what asks it, and the order to use',
    async (target) => {
      const env = { KUBECONFIG: plane.kubeconfigPath };
      const { stdout } = await gc(`delete ${target} --preview -o json`, { env });
      const { remarks } = JSON.parse(stdout) as { remarks: { message: string }[] };
      const how = target.startsWith('deployment') ? 'loses all of its pods' : 'goes';
      const told = remarks.map(({ message }) => message).filter((one) => one.includes('asks it'));
      expect(told).toEqual([
        `Service hooks/hook ${how}, and ValidatingWebhookConfiguration checks, which asks it, stays: the API server refuses all that it would ask it about. Delete it first, if it is to go as well, then what answers.`,
        `Service hooks/hook ${how}, and APIService v1.things.example.org, which asks it, stays: its API does not answer any more, and while discovery fails for it no namespace is deleted to its end. Delete it first, if it is to go as well, then what answers.`,
      ]);
    },
  );

  test('without the Service the API server refuses what it would ask about, and a namespace does not end', async () => {
    await plane.request('/api/v1/namespaces/hooks/services/hook', { method: 'DELETE' });
    const refused = plane.make('ConfigMap shop/a');
    await expect(refused).rejects.toThrow(/failed calling webhook .*service .*hook.* not found/);
    await plane.make('Namespace ending');
    await plane.request('/api/v1/namespaces/ending', { method: 'DELETE' });
    const condition = await eventually('the condition of the namespace', async () => {
      const { status } = await plane.get<{
        status: { conditions?: { type: string; status: string }[] };
      }>('/api/v1/namespaces/ending');
      return status.conditions?.find(({ type }) => type === 'NamespaceDeletionDiscoveryFailure');
    });
    expect(condition.status).toBe('True');
  });
}

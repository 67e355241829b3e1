import { hostname } from 'node:os';
import type { ControlPlane } from './control-plane.ts';

/** Pods like those of kubeadm, which show what the servers were started with beside their usual flags. */
export async function showServers(
  plane: ControlPlane,
  args: { readonly apiServer: readonly string[]; readonly controllerManager: readonly string[] },
): Promise<void> {
  const name = 'kube-apiserver';
  const image = `registry.k8s.io/${name}:${plane.serverVersion}`;
  await plane.make(`Pod kube-system/${name}`, {
    metadata: { labels: { component: name } },
    spec: { containers: [{ name, image, command: [name, ...args.apiServer] }] },
  });
  await showManager(plane, args.controllerManager);
}

/** A pod like that of kubeadm, which shows what kube-controller-manager was started with; it takes the place of an earlier one. */
export async function showManager(plane: ControlPlane, args: readonly string[]): Promise<void> {
  const path = '/api/v1/namespaces/kube-system/pods';
  const name = 'kube-controller-manager';
  await plane.request(`${path}/${name}`, { method: 'DELETE' });
  const image = `registry.k8s.io/${name}:${plane.serverVersion}`;
  const command = [name, '--leader-elect=false', ...args];
  await plane.make(`Pod kube-system/${name}`, {
    metadata: { labels: { component: name } },
    // The host's name is that in the Lease of the leader.
    spec: { hostname: hostname(), containers: [{ name, image, command }] },
  });
}

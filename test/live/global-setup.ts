import type { TestProject } from 'vitest/node';
import { buildControlPlane, findControlPlane } from '../../scripts/control-plane.mjs';
import { startControlPlane } from '../support/control-plane.ts';
import { exampleDefinitions } from '../support/custom-resources.ts';
// For the type of what is provided.
import '../support/shared-control-plane.ts';

const controllers = [
  '*',
  '-node-lifecycle-controller',
  '-taint-eviction-controller',
  '-pod-garbage-collector-controller',
];

/** Starts the control plane that the live tests share; CI builds it first when it is missing. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  if (!findControlPlane()) {
    if (!process.env.CI) {
      throw new Error('No control plane to test against: `npm run control-plane` builds it once.');
    }
    await buildControlPlane();
  }
  const plane = await startControlPlane({ controllers, definitions: exampleDefinitions });
  const { server, etcd, serverVersion, binaries, directory } = plane;
  const { kubeconfigPath, adminToken, authority } = plane;
  project.provide('controlPlane', {
    server,
    etcd,
    serverVersion,
    binaries,
    directory,
    kubeconfigPath,
    adminToken,
    authority,
  });
  return plane.stop;
}

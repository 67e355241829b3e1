import type { TestProject } from 'vitest/node';
import {
  buildControlPlane,
  findControlPlane,
  missingControlPlane,
} from '../../scripts/control-plane.mjs';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { exampleDefinitions } from '../support/custom-resources.ts';
// For the type of what is provided.
import '../support/shared-control-plane.ts';

const controllers = [
  '*',
  '-node-lifecycle-controller',
  '-taint-eviction-controller',
  '-pod-garbage-collector-controller',
];

/**
 * Starts the control planes that live tests share, one for each file that runs at the same time. CI builds the
 * programs first when they are missing.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  if (!findControlPlane()) {
    if (!process.env.CI) {
      throw new Error(missingControlPlane());
    }
    await buildControlPlane();
  }
  const starts = await Promise.allSettled(
    Array.from({ length: project.config.maxWorkers }, () =>
      startControlPlane({ controllers, definitions: exampleDefinitions }),
    ),
  );
  const planes = starts.flatMap((start) => (start.status === 'fulfilled' ? start.value : []));
  const stop = async () => {
    await Promise.all(planes.map((plane) => plane.stop()));
  };
  const failure = starts.find((start) => start.status === 'rejected');
  if (failure) {
    await stop();
    throw failure.reason;
  }
  project.provide('controlPlanes', planes.map(accessOf));
  return stop;
}

/** What another process needs to know of a control plane. */
function accessOf({ server, etcd, serverVersion, binaries, directory, ...rest }: ControlPlane) {
  const { kubeconfigPath, adminToken, authority } = rest;
  return {
    server,
    etcd,
    serverVersion,
    binaries,
    directory,
    kubeconfigPath,
    adminToken,
    authority,
  };
}

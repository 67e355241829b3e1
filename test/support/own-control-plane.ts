import { afterAll } from 'vitest';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.ts';

/** A control plane for the file of tests that starts it; it stops after them. */
export async function ownControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const plane = await startControlPlane(options);
  afterAll(() => plane.stop());
  return plane;
}

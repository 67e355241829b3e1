import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from '../support/control-plane.ts';
import { type ServerProcess, startServer } from '../support/control-plane-processes.ts';
import { eventually } from '../support/eventually.ts';

/** Kills a server of the control plane; resolves with the same again, once the API server answers. */
export async function restartServer(plane: ControlPlane, pid: number): Promise<ServerProcess> {
  const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    .split('\0')
    .filter((word) => word !== '');
  process.kill(pid, 'SIGKILL');
  await eventually('its end', async () => {
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
    } catch {
      return true;
    }
  });
  for (let tries = 1; ; tries++) {
    const restarted = startServer(plane.directory, program, args);
    try {
      await restarted.until(() => plane.isHealthy('/readyz'));
      return restarted;
    } catch (error) {
      // A connection that something opened meanwhile may come from the very port.
      if (tries === 20 || !`${error}`.includes('address already in use')) throw error;
      await sleep(500);
    }
  }
}

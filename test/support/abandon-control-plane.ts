// Starts a control plane, prints its process ids and waits to be killed.
import { startControlPlane } from './control-plane.ts';

const plane = await startControlPlane({ controllers: ['garbage-collector-controller'] });
console.log(JSON.stringify({ pids: plane.pids(), directory: plane.directory }));
setInterval(() => {}, 1000);

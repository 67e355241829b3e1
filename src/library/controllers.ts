import type { RunningControllers, RunOptions } from '../runner/run-controllers.ts';
import { boolean, list, text } from '../syntax/document-part.ts';
import { aFunction, checkOptions } from './arguments.ts';
import { type ConnectOptions, checkConnection, openClient } from './connection.ts';

export interface RunControllersOptions extends ConnectOptions, RunOptions {}

/**
 * Runs the garbage collector and the namespace controller against a test's own API server that has
 * no controller manager, as envtest's. Resolves when they are at work; the caller stops them. Throws
 * a GcError when the server cannot be reached, is not on this machine, or has a controller manager; a
 * TypeError for an option of another type.
 */
export async function runControllers(
  options: RunControllersOptions = {},
): Promise<RunningControllers> {
  checkConnection(options);
  checkOptions(options, {
    controllers: list(text),
    remoteServer: boolean,
    controllerManager: boolean,
    onWrite: aFunction,
    onError: aFunction,
  });
  const { runControllers: run } = await import('../runner/run-controllers.ts');
  const client = await openClient(options, Number.POSITIVE_INFINITY);
  try {
    const running = await run(client, options);
    const stop = () => {
      running.stop();
      client.close();
    };
    return {
      server: running.server,
      controllers: running.controllers,
      settled: () => running.settled(),
      stop,
    };
  } catch (error) {
    client.close();
    throw error;
  }
}

import { isatty } from 'node:tty';

/** What decides a connection besides the flags; a parameter so that tests do not touch the process. */
export interface ClientEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths in flags and in KUBECONFIG start here. */
  readonly cwd: string;
  /** Where a pod finds `token`, `ca.crt` and `namespace`. */
  readonly serviceAccountDirectory: string;
  /** Whether a credential plugin could ask the user something. */
  readonly stdinIsTerminal: boolean;
  /** Says what is waited for. */
  readonly remark?: ((line: string) => void) | undefined;
  /** Says that a credential plugin starts that may ask the user something. */
  readonly asks?: ((plugin: string) => void) | undefined;
  /** Ends a credential plugin that still runs when the connection is not wanted any more. */
  readonly signal?: AbortSignal | undefined;
  /** Receives what the server warns of when it answers a request that changes something. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** Who receives messages while a connection is used. */
export type Listeners = Pick<ClientEnvironment, 'remark' | 'warn' | 'asks' | 'signal'>;

export function processEnvironment(): ClientEnvironment {
  return {
    env: process.env,
    cwd: process.cwd(),
    serviceAccountDirectory: '/var/run/secrets/kubernetes.io/serviceaccount',
    stdinIsTerminal: isatty(0),
  };
}

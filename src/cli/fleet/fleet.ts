import type { LoadedKubeconfig } from '../../cluster/connection/kubeconfig.ts';
import { usageError } from '../../errors.ts';
import type { CommonFlags } from '../flags/flags.ts';

/** The clusters that `--context a,b` or `--context all` names. */
export interface Fleet {
  readonly members: readonly FleetMember[];
  readonly kubeconfig: LoadedKubeconfig;
}

export interface FleetMember {
  readonly context: string;
  /** As the kubeconfig has it, without credentials; undefined where it has none that can be used. */
  readonly server: string | undefined;
}

/** Flags that say how to reach, or how to log in to, one cluster: another must never get them. */
const ofOneCluster = [
  'server',
  'cluster',
  'tls-server-name',
  'token',
  'username',
  'password',
  'client-certificate',
  'client-key',
] as const;

/** The clusters to ask, where there may be several; undefined where the question is put to one, or to files. */
export async function fleetOf(flags: CommonFlags): Promise<Fleet | undefined> {
  const { context = '', from } = flags;
  // Nothing else can be a list, so the kubeconfig need not be read here.
  if (from || (context !== 'all' && !context.includes(','))) return undefined;
  const [{ loadKubeconfig }, { listedContexts, unknownEntry }, settings, environment] =
    await Promise.all([
      import('../../cluster/connection/kubeconfig.ts'),
      import('../../cluster/connection/select-entries.ts'),
      import('../../cluster/connection/connection-settings.ts'),
      import('../../cluster/connection/client-environment.ts'),
    ]);
  const kubeconfig = await loadKubeconfig(flags.kubeconfig, environment.processEnvironment());
  const { config } = kubeconfig;
  const names = listedContexts(context, config.contexts);
  if (names === undefined) return undefined;
  const unknown = names.find((name) => !config.contexts.has(name));
  if (names.length === 0 || unknown !== undefined) {
    throw unknownEntry('context', unknown ?? context, config.contexts);
  }
  const given = ofOneCluster.find((flag) => flags[flag] !== undefined);
  if (given !== undefined) {
    throw usageError(
      'several-contexts',
      `--${given} is for one cluster, and --context "${context}" names several`,
      'Leave it out: what the kubeconfig has for each context counts.',
    );
  }
  const members = names.map((name) => ({
    context: name,
    server: settings.serverOfContext(config, name),
  }));
  return { members, kubeconfig };
}

/** What to say where contexts lead to the same server: its objects are counted for each of them. */
export function sharedServers({ members }: Fleet): string[] {
  const byServer = Map.groupBy(members, ({ server }) => server);
  return [...byServer].flatMap(([server, sharing]) => {
    if (server === undefined || sharing.length === 1) return [];
    const names = sharing.map(({ context }) => context).join(', ');
    return [`These contexts are of one server, ${server}, which is asked for each: ${names}.`];
  });
}

import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { builtInTypes } from '../../kube/built-in-types.ts';
import { compareText } from '../../kube/names.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { ResourceTypes } from '../../kube/resource-types.ts';
import { parseTargets } from '../../kube/type-argument.ts';
import { type ParsedArgv, valuesIn } from '../argv/normalize-argv.ts';
import type { CommonFlags } from '../flags/flags.ts';
import type { Candidate, Lookup } from './complete.ts';
import type { Source } from './values.ts';

/** How long a person waits for the Tab key at most. */
const patience = 2000;

/**
 * Looks values up where the line says: in the files of `--from`, else in the cluster. It remarks on
 * nothing, since its words would land in the line that is being typed.
 */
export function lookupFor(line: ParsedArgv): Lookup {
  const flags: CommonFlags = valuesIn(line);
  const files = flags.from && inFiles(flags, flags.from);
  const objects = files ?? inCluster(flags);
  return {
    types: async () => (await objects.types()).monitored().map(typeCandidate),
    names: (word) => objects.names(word),
    values: async (source) => {
      if (source === 'namespaces' || source === 'nodes') return objects.names(source);
      return sourceIsKubeconfig(source) ? ofKubeconfig(source, flags) : ofProgram(source);
    },
  };
}

interface Objects {
  types(): Promise<ResourceTypes>;
  names(word: string): Promise<readonly Candidate[]>;
}

function typeCandidate(type: ResourceType): Candidate {
  return { value: groupResourceOf(type), description: type.kind };
}

function typeOf(word: string, types: ResourceTypes): ResourceType | undefined {
  return parseTargets([word], types).targets[0]?.type;
}

function named(names: readonly string[]): readonly Candidate[] {
  return [...new Set(names)].sort(compareText).map((value) => ({ value }));
}

function inFiles(flags: CommonFlags, paths: readonly string[]): Objects {
  const read = async () => {
    const { fromFiles } = await import('../../files/from-files.ts');
    // What is piped in is for the command, not for its completion.
    const named = paths.filter((path) => path !== '-');
    return fromFiles(named, { now: () => new Date() });
  };
  return {
    types: async () => {
      const { types, records } = await read();
      const seen = new Set(records.map(({ type }) => groupResourceOf(type)));
      const known = types.all.filter((type) => seen.has(groupResourceOf(type)));
      return new ResourceTypes(known, { exhaustive: false });
    },
    names: async (word) => {
      const { types, records } = await read();
      if (word === 'namespaces') return named(records.flatMap(({ namespace }) => namespace || []));
      const type = typeOf(word, types);
      const fits = (namespace: string) =>
        flags.namespace === undefined || !type?.namespaced || namespace === flags.namespace;
      return named(
        records
          .filter((one) => type && groupResourceOf(one.type) === groupResourceOf(type))
          .filter(({ namespace }) => fits(namespace))
          .map(({ name }) => name),
      );
    },
  };
}

function inCluster(flags: CommonFlags): Objects {
  const signal = AbortSignal.timeout(patience);
  const connected = async <T>(ask: (client: ClusterClient) => Promise<T>): Promise<T> => {
    const { connect } = await import('../../cluster/connection/connect.ts');
    const client = await connect({ ...flags, 'request-timeout': '2s' });
    try {
      return await ask(client);
    } finally {
      client.close();
    }
  };
  const discovered = async (client: ClusterClient) => {
    const { discover } = await import('../../cluster/list/discover.ts');
    return (await discover(client, { signal })).types;
  };
  return {
    types: () => connected(discovered),
    names: (word) =>
      connected(async (client) => {
        const type = builtInType(word) ?? typeOf(word, await discovered(client));
        if (type === undefined) return [];
        const { listKind } = await import('../../cluster/list/list-kind.ts');
        const scope = { namespaces: [client.namespace] };
        const { records } = await listKind(client, type, scope, { signal, uncompressed: true });
        return named(records.map(({ name }) => name));
      }),
  };
}

/** Most types are built in, and need no discovery. */
function builtInType(word: string): ResourceType | undefined {
  try {
    return typeOf(word, new ResourceTypes(builtInTypes, { exhaustive: false }));
  } catch {
    return undefined;
  }
}

function sourceIsKubeconfig(source: Source): source is 'contexts' | 'clusters' | 'users' {
  return source === 'contexts' || source === 'clusters' || source === 'users';
}

async function ofKubeconfig(
  source: 'contexts' | 'clusters' | 'users',
  { kubeconfig }: CommonFlags,
): Promise<readonly Candidate[]> {
  const { loadKubeconfig } = await import('../../cluster/connection/kubeconfig.ts');
  const { processEnvironment } = await import('../../cluster/connection/client-environment.ts');
  const { config } = await loadKubeconfig(kubeconfig, processEnvironment());
  return named([...config[source].keys()]);
}

async function ofProgram(source: Source): Promise<readonly Candidate[]> {
  if (source === 'collectors') {
    const { controllerIds } = await import('../../controllers/controller.ts');
    return named(controllerIds);
  }
  const { allRuleIds } = await import('../../audit/audit.ts');
  return named(allRuleIds);
}

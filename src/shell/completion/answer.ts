import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { parseTargets } from '../../command-line/type-argument.ts';
import { builtInTypes } from '../../kube/built-in-types.ts';
import { compareText } from '../../kube/names.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { ResourceTypes } from '../../kube/resource-types.ts';
import { printable, printedText } from '../../output/printable.ts';
import { type ParsedArgv, valuesIn } from '../argv/normalize-argv.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { manifest } from '../oclif/inlined-manifest.ts';
import { writeOut } from '../terminal/streams.ts';
import { type Completion, complete, type Lookup, type Source } from './complete.ts';

/** cobra's ShellCompDirective, which kubectl reads: bits that instruct the shell. */
const directives = { unfinished: 2, noFiles: 4 } as const;

/**
 * Prints what the last word can become, one candidate a line, then a directive: the protocol of
 * `kubectl __complete`. A failure prints no candidate: the Tab key is no place for errors.
 */
export async function answerCompletion(words: readonly string[]): Promise<void> {
  const completion = complete(words, manifest, lookupFor).catch(
    (): Completion => ({ candidates: [] }),
  );
  await writeOut(printedText(completionText(await completion)));
}

function completionText({ candidates, files = false, unfinished = false }: Completion): string {
  // What cannot be printed as it is would be completed to the name of another object.
  const lines = candidates.flatMap((one) => {
    const [word = '', ...description] = one.split('\t');
    return printable(word) === word ? [word, ...description.map(printable)].join('\t') : [];
  });
  const directive = (files ? 0 : directives.noFiles) + (unfinished ? directives.unfinished : 0);
  return `${[...lines, `:${directive}`].join('\n')}\n`;
}

/** How long a person waits for the Tab key at most. */
const completionTimeout = 2000;

/**
 * Looks values up in the cluster and the kubeconfig that the line names; with `--from` nothing. It remarks on
 * nothing, since its words would land in the line that is being typed.
 */
function lookupFor(line: ParsedArgv): Lookup {
  const flags: CommonFlags = valuesIn(line);
  const signal = AbortSignal.timeout(completionTimeout);
  const online = async (ask: (client: ClusterClient) => Promise<readonly string[]>) => {
    if (flags.from) return [];
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
    types: () =>
      online(async (client) =>
        (await discovered(client))
          .monitored()
          .map((type) => `${groupResourceOf(type)}\t${type.kind}`),
      ),
    names: (word) =>
      online(async (client) => {
        const type = builtInType(word) ?? typeNamed(word, await discovered(client));
        if (type === undefined) return [];
        const { listKind } = await import('../../cluster/list/list-kind.ts');
        const scope = { namespaces: [client.namespace] };
        const { records } = await listKind(client, type, scope, { signal, uncompressed: true });
        return sortedNames(records.map(({ name }) => name));
      }),
    values: async (source) => sortedNames(await valuesOf(source, flags)),
  };
}

function typeNamed(word: string, types: ResourceTypes): ResourceType | undefined {
  return parseTargets([word], types).targets[0]?.type;
}

function sortedNames(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort(compareText);
}

/** Most types are built in, and need no discovery. */
function builtInType(word: string): ResourceType | undefined {
  try {
    return typeNamed(word, new ResourceTypes(builtInTypes, { exhaustive: false }));
  } catch {
    return undefined;
  }
}

/** What the program and the kubeconfig know by themselves. */
async function valuesOf(source: Source, { kubeconfig }: CommonFlags): Promise<readonly string[]> {
  if (source === 'collectors')
    return (await import('../../controllers/controller.ts')).controllerIds;
  if (source === 'rules') return (await import('../../audit/audit.ts')).allRuleIds;
  const { loadKubeconfig } = await import('../../cluster/connection/kubeconfig.ts');
  const { processEnvironment } = await import('../../cluster/connection/client-environment.ts');
  const { config } = await loadKubeconfig(kubeconfig, processEnvironment());
  return [...config[source].keys()];
}

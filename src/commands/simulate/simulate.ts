import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { parseTargets } from '../../command-line/type-argument.ts';
import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import { exitCodes, usageError } from '../../errors.ts';
import { counted, firstOf } from '../../kube/counts-by-kind.ts';
import { picked } from '../../kube/json-value.ts';
import { apiVersionOf, groupResourceOf } from '../../kube/resource-type.ts';
import { humanDuration } from '../../kube/time.ts';
import { isNode, readyConditionOf } from '../../kube/well-known-kinds.ts';
import { pictureFormats } from '../../questions/render.ts';
import {
  playRequests,
  type SimulationReport,
  simulationReport,
  whatFollows,
} from '../../questions/simulate/document.ts';
import {
  parseDuration,
  parseScenario,
  parseStart,
  type Scenario,
} from '../../questions/simulate/scenario.ts';
import {
  defaultControllerSettings,
  defaultSimulationSettings,
} from '../../settings/controller-settings.ts';
import { enabledControllers } from '../../settings/enabled-controllers.ts';
import { cascadePolicies, invalidCascade } from '../../shell/flags/delete-options.ts';
import { booleanFlag, repeatedFlag, textFlag } from '../../shell/flags/flag-kinds.ts';
import { outputFlag, settingsFlag, type ValuesOf } from '../../shell/flags/flags.ts';
import { nowOf, remarksOnClock } from '../../shell/input/clock.ts';
import { warnOfNamespace } from '../../shell/input/missing-namespace.ts';
import { readDocument } from '../../shell/input/read-document.ts';
import { openSource, readSource } from '../../shell/input/read-question.ts';
import { refuseUnread } from '../../shell/input/targets.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { readSimulationSettings } from '../../shell/settings/find-settings.ts';
import { writeErr } from '../../shell/terminal/streams.ts';
import type { SimulatedRequest } from '../../simulator/api-server/request.ts';
import type { Simulation } from '../../simulator/simulation.ts';
import { isolated } from '../../snapshot/isolated.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { notSimulated } from './not-simulated.ts';
import { silenceNodes } from './silence-nodes.ts';

export default class Simulate extends GcCommand {
  static override summary = 'Simulate requests and show each step that follows';
  static override description = [
    'Nothing is sent anywhere: the API server, the garbage collector, the namespace',
    'controller and kubelets are reproduced, with a clock of their own. What depends on',
    'an order that nothing fixes is listed as undetermined.',
  ].join(' ');
  static override usage = '<%= command.id %> [TYPE/NAME]... [--scenario FILE] [--settings FILE]';
  static override examples = [
    '<%= config.bin %> simulate deployment/web -n shop --cascade=foreground',
    '<%= config.bin %> simulate --scenario scenario.yaml --duration 10m -o json',
    '<%= config.bin %> simulate deployment/web -n shop --cascade=foreground --from examples/clusters/shop.json.gz',
    '<%= config.bin %> simulate namespace/payments --duration 10m --from examples/clusters/shop.json.gz',
    '<%= config.bin %> simulate --delete-node worker-1 --from examples/clusters/shop.json.gz',
    '<%= config.bin %> simulate --silence-node worker-1 --from examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = {
    scenario: textFlag('FILE', 'requests, settings and start, as YAML; - for stdin'),
    settings: settingsFlag,
    delete: repeatedFlag('TYPE/NAME', 'delete this object, as TYPE/NAME alone does'),
    'delete-node': repeatedFlag('NODE', 'delete this Node, by its name'),
    'silence-node': repeatedFlag('NODE', 'the kubelet of this Node stops reporting'),
    cascade: textFlag('POLICY', 'propagation policy: background, foreground or orphan'),
    'remove-finalizer': repeatedFlag('FINALIZER', 'remove a finalizer, TYPE/NAME=FINALIZER'),
    start: textFlag(
      'running|after-requests',
      'controllers start before the requests and settle, or after them',
    ),
    duration: textFlag('DURATION', 'longest simulated time, as in 10m; 1h by default'),
    'all-events': booleanFlag('also events that the requests do not cause'),
    output: outputFlag(pictureFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags: given } = await this.parse(Simulate);
    refuseVerb(argv as string[]);
    const named = [...(argv as string[]), ...(given.delete ?? [])];
    const flags = { ...given, delete: named.length > 0 ? named : undefined };
    const print = this.printer(flags, pictureFormats);
    refuseIncomplete(flags);
    const scenario = await scenarioOf(flags);
    const session = this.session(flags);
    const source = await openSource(flags, session);
    const read = await readSource(source, { facts: true });
    const silent = silentNodesOf(flags, read);
    const snapshot = silent.size === 0 ? read : silenced(read, silent, nowOf(flags, read));
    const { controllers } = snapshot;
    const settings = scenario.settings ?? {
      ...defaultSimulationSettings,
      ...(controllers && { controllers }),
    };
    await warnOfNamespace({ flags, session, snapshot });
    const asOfFlags = requestsOf(flags, snapshot, source.namespace ?? '');
    const requests = [...(scenario.requests ?? []), ...asOfFlags];
    const options = { now: nowOf(flags, snapshot), ...picked(scenario, 'start', 'duration') };
    const isEnabled = enabledControllers(settings.controllers);
    const { simulation, report, remarks } = isolated(snapshot, (known) => {
      const played = playRequests(known, requests, settings, options);
      const remarks = notSimulated(known.records, played.objects, isEnabled);
      return { simulation: played, report: simulationReport(known, played), remarks };
    });
    // Documents have it all; what people look at begins with what follows from the requests.
    const isDocument = !['table', 'wide', 'svg', 'html'].includes(flags.output);
    const shown =
      !isDocument && !flags['all-events'] && requests.length + silent.size > 0
        ? whatFollows(
            report,
            isolated(read, (known) => playRequests(known, [], settings, options)),
          )
        : report;
    await print(shown, snapshot);
    for (const line of remarksOnClock(flags, snapshot)) this.remark(line);
    if (silent.size > 0) {
      const { nodeMonitorGracePeriod } = { ...defaultControllerSettings, ...settings };
      this.remark(graceInWords(silent, nodeMonitorGracePeriod));
    }
    for (const remark of remarks) this.remark(remark);
    this.remark(endInWords(simulation, report, shown));
    const others = report.steps.length - shown.steps.length;
    if (others > 0) {
      this.remark(
        `${counted(others, 'step')} would happen without the requests, too: --all-events shows ${others === 1 ? 'it' : 'them'}.`,
      );
    }
    if (report.replies.some(({ code }) => code >= 400)) this.endWith(exitCodes.failed);
  }
}

/** How it ends. What is deleted without the requests, too, is not their consequence: `shown` leaves it out. */
function endInWords(
  { steps, ended, objects }: Simulation,
  { coverage }: SimulationReport,
  shown: Pick<SimulationReport, 'steps'>,
): string {
  if (steps.length === 0) return 'Nothing happens.';
  const isPart = coverage.problems.some(({ reason }) => reason === 'not-in-input');
  const gone = shown.steps.filter(({ result }) => result === 'removed').length;
  return `${endWords[ended]}: ${isPart ? 'at least ' : ''}${counted(gone, 'object')} deleted, ${objects.length} remain.`;
}

const endWords: Readonly<Record<Simulation['ended'], string>> = {
  quiet: 'Settled',
  stuck: 'Settled with unfinished deletions',
  deadline: 'Stopped at the end of --duration',
  endless: 'Stopped: the controllers do not settle',
};

type RequestFlags = ValuesOf<typeof Simulate.flags>;

/** What a file says, where no flag says otherwise. */
async function scenarioOf(flags: RequestFlags): Promise<Partial<Scenario>> {
  const read =
    flags.scenario === undefined
      ? undefined
      : parseScenario(await readDocument(flags.scenario, 'scenario'));
  return {
    ...read,
    settings: flags.settings ? await readSimulationSettings(flags.settings) : read?.settings,
    start: parseStart(flags.start, '--start') ?? read?.start,
    duration: parseDuration(flags.duration, '--duration') ?? read?.duration,
  };
}

function refuseVerb([verb, ...rest]: readonly string[]): void {
  if (verb !== 'delete' || rest.length === 0) return;
  throw usageError(
    'simulate takes TYPE/NAME without a verb: a flag says what happens to the object',
    [suggested('Did you mean', shellCommand`kubectl gc simulate ${rest}`)],
  );
}

/** Flags that ask for nothing, or say how to do what none of them asks for. */
function refuseIncomplete(flags: RequestFlags): void {
  knownPolicy(flags.cascade);
  if (flags.cascade !== undefined && !flags.delete && !flags['delete-node']) {
    throw usageError('--cascade says how to delete, and nothing is to be deleted', [
      'Name it: TYPE/NAME, or --delete-node NODE.',
    ]);
  }
  const asked = [
    ...(['scenario', 'delete', 'delete-node', 'silence-node', 'remove-finalizer'] as const),
  ];
  if (asked.every((flag) => flags[flag] === undefined)) {
    throw usageError(
      'You must specify what to simulate: TYPE/NAME to delete, --delete-node NAME, --silence-node NAME, --remove-finalizer TYPE/NAME=FINALIZER or --scenario FILE.',
      ['A scenario without requests shows what the controllers do by themselves.'],
    );
  }
}

/** kubectl's `--cascade`, as it spells it; background unless said otherwise. */
function knownPolicy(cascade: string | undefined): PropagationPolicy {
  const policy = cascadePolicies.get(cascade ?? 'background');
  if (policy) return policy;
  throw invalidCascade(cascade);
}

/**
 * The requests that flags stand for: every --delete, then every --delete-node and every
 * --remove-finalizer. `namespace`: where namespaced objects are.
 */
function requestsOf(
  flags: RequestFlags,
  snapshot: Snapshot,
  namespace: string,
): SimulatedRequest[] {
  const propagationPolicy = knownPolicy(flags.cascade);
  const deletions = (flags.delete ?? []).map((argument): SimulatedRequest => {
    const address = addressOf(argument, namespace, snapshot);
    return { verb: 'delete', ...address, options: { propagationPolicy } };
  });
  const nodes = nodeNamesIn(flags, 'delete-node').map((name): SimulatedRequest => {
    const node = { apiVersion: 'v1', kind: 'Node', namespace: '', name, after: 0 };
    return { verb: 'delete', ...node, options: { propagationPolicy } };
  });
  const removals = (flags['remove-finalizer'] ?? []).map((argument): SimulatedRequest => {
    const [object = '', ...rest] = argument.split('=');
    const finalizer = rest.join('=');
    if (finalizer === '') {
      throw usageError(
        `--remove-finalizer "${argument}" does not say which finalizer: an object may have several`,
        ['Write TYPE/NAME=FINALIZER, for example pvc/data=kubernetes.io/pvc-protection.'],
      );
    }
    const address = addressOf(object, namespace, snapshot);
    const patch = { patchType: 'remove-finalizers', patch: [finalizer] } as const;
    return { verb: 'patch', ...address, ...patch, dryRun: false };
  });
  return [...deletions, ...nodes, ...removals];
}

function nodeNamesIn(flags: RequestFlags, flag: 'delete-node' | 'silence-node'): string[] {
  const names = flags[flag] ?? [];
  const wrong = names.find((name) => name === '' || name.includes('/'));
  if (wrong === undefined) return names;
  throw usageError(`--${flag} "${wrong}" is not the name of a node`, [
    'Write the name alone, for example worker-1.',
  ]);
}

function silentNodesOf(flags: RequestFlags, { records }: Snapshot): ReadonlySet<string> {
  const names = nodeNamesIn(flags, 'silence-node');
  const reporting = new Set(
    records.filter((one) => isNode(one) && readyConditionOf(one)).map(({ name }) => name),
  );
  const unknown = names.find((name) => !reporting.has(name));
  if (unknown === undefined) return new Set(names);
  throw usageError(
    `--silence-node "${unknown}": no Node of this name that reports its status was read`,
    [`The Nodes that do: ${firstOf([...reporting].sort(), 5) || 'none'}.`],
  );
}

function silenced(snapshot: Snapshot, names: ReadonlySet<string>, now: number): Snapshot {
  return { ...snapshot, records: silenceNodes(snapshot.records, names, now) };
}

function graceInWords(names: ReadonlySet<string>, grace: number): string {
  const which = [...names].join(', ');
  return `The time counts from when Ready of ${which} becomes Unknown: ${humanDuration(grace / 1000)} after the kubelet stops reporting.`;
}

function addressOf(argument: string, asked: string, snapshot: Snapshot) {
  const [target] = parseTargets([argument], snapshot.types).targets;
  if (target?.name === undefined) {
    throw usageError(`"${argument}" names no object`, [
      'Write TYPE/NAME, for example deployment/web.',
    ]);
  }
  const { type, name } = target;
  const namespace = type.namespaced ? asked : '';
  const homes = snapshot.records.flatMap((record) => {
    const isNamed = record.name === name && groupResourceOf(record.type) === groupResourceOf(type);
    return isNamed ? [record.namespace] : [];
  });
  if (homes.length === 0) refuseUnread(snapshot, type, name, namespace);
  if (homes.length > 0 && !homes.includes(namespace)) {
    const where = homes.sort().join(', ');
    writeErr(
      `Note: ${type.kind} ${name} is not in namespace ${namespace} but in ${where}: use -n.`,
    );
  }
  return { apiVersion: apiVersionOf(type), kind: type.kind, namespace, name, after: 0 };
}

import {
  fieldsListOf,
  fieldsOf,
  type Json,
  numberOf,
  textOrEmpty,
  textsOf,
} from '../kube/json-value.ts';
import { isLeaseValid, managerLease } from '../kube/leader-lease.ts';
import type { Component, FlagKind } from './setting-definition.ts';
import type { CommandLine, Leader, ProgramFacts } from './settings-facts.ts';
import { flagKindOf } from './settings-table.ts';

const components: readonly Component[] = ['kube-controller-manager', 'kube-apiserver'];

/** A program of the control plane and the names that its host may go by. */
export interface ControlPlanePod {
  readonly program: ProgramFacts;
  readonly hosts: readonly string[];
}

/** The programs of the control plane that a pod runs: by its labels, its image or what it starts. */
export function controlPlanePodsIn(
  pod: Json,
  serverVersion: string | undefined,
): ControlPlanePod[] {
  const { phase } = fieldsOf(pod.status);
  if (phase === 'Succeeded' || phase === 'Failed') return [];
  return components.flatMap((component) => {
    const container = containerOf(pod, component);
    return container ? [readPod(pod, container, component, serverVersion)] : [];
  });
}

function readPod(
  pod: Json,
  container: Json,
  component: Component,
  serverVersion: string | undefined,
): ControlPlanePod {
  const { name, namespace } = fieldsOf(pod.metadata);
  const { nodeName, hostname } = fieldsOf(pod.spec);
  const podName = textOrEmpty(name);
  const node = textOrEmpty(nodeName);
  return {
    program: {
      component,
      instance: node || podName,
      readFrom: `pod ${textOrEmpty(namespace) || 'kube-system'}/${podName}`,
      version: versionIn(textOrEmpty(container.image)) ?? serverVersion,
      commandLine: commandLineOf(container, component),
    },
    hosts: [node, textOrEmpty(hostname), podName].filter((host) => host !== ''),
  };
}

function containerOf(pod: Json, component: Component): Json | undefined {
  const containers = fieldsListOf(fieldsOf(pod.spec).containers);
  const labels = fieldsOf(fieldsOf(pod.metadata).labels);
  const runs = (container: Json) =>
    container.name === component ||
    baseName(textOrEmpty(container.image)).split(/[:@]/, 1)[0] === component ||
    [...textsOf(container.command), ...textsOf(container.args)].some(
      (word) => !word.startsWith('-') && baseName(word) === component,
    );
  const found = containers.find(runs);
  if (found) return found;
  const isLabelled = [labels.component, labels['k8s-app'], labels.app].includes(component);
  return isLabelled ? containers[0] : undefined;
}

/** `v1.36.3` of `registry.example.com/kube-apiserver:v1.36.3-1@sha256:…`. */
function versionIn(image: string): string | undefined {
  const version = /:v?(1\.\d+\.\d+)/.exec(image)?.[1];
  return version === undefined ? undefined : `v${version}`;
}

/** Which of the replicas leads; `lease` undefined: it could not be read. `now`: RFC 3339. */
export function leaderOf(
  pods: readonly ControlPlanePod[],
  lease: Json | undefined,
  now: string | undefined,
): Leader {
  const replicas = replicasIn(pods);
  if (replicas.length === 0) return { kind: 'sole' };
  const written = `Lease ${managerLease.namespace}/${managerLease.name}`;
  const unless = (because: string): Leader =>
    replicas.length === 1 ? { kind: 'sole' } : { kind: 'unknown', because };
  if (!lease) return unless(`${written} could not be read`);
  const spec = fieldsOf(lease.spec);
  const holder = textOrEmpty(spec.holderIdentity);
  if (holder === '') return unless(`${written} names no leader`);
  // The host name, and an id that distinguishes its processes.
  const host = holder.replace(/_[^_]*$/, '');
  const leader = replicas.find(({ hosts }) => hosts.some((one) => isSameHost(one, host)));
  if (leader) return { kind: 'known', instance: leader.program.instance, lease: written };
  const renewal = {
    renewTime: textOrEmpty(spec.renewTime),
    leaseDurationSeconds: numberOf(spec.leaseDurationSeconds),
  };
  if (now !== undefined && !isLeaseValid(renewal, Date.parse(now))) {
    return unless(`${written} has expired`);
  }
  const because = `${written} names ${host}, of which no pod was seen`;
  return { kind: 'unknown', because, elsewhere: true };
}

function replicasIn(pods: readonly ControlPlanePod[]): readonly ControlPlanePod[] {
  return pods.filter(({ program }) => program.component === 'kube-controller-manager');
}

/** A host may be named with its domain or without. */
function isSameHost(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}

const shells = new Set(['sh', 'bash', 'ash', 'dash', 'busybox']);

/** The flags of a component's container, in `command` or in `args`; a script for a shell is not read. */
function commandLineOf(container: Json, component: Component): CommandLine {
  const command = textsOf(container.command);
  const words = [...command, ...textsOf(container.args)];
  const kindOf = flagKindOf(component);
  const [first] = words;
  if (first === undefined) return nothingSeen('the image decides how it is started');
  if (isScript(words)) return nothingSeen('a shell starts it, and scripts are not read');
  const found = argumentsOf(words, component);
  if (found) return parseCommandLine(found, kindOf);
  // Without a command, arguments are for the program that the image starts.
  if (command.length === 0 && first.startsWith('--')) return parseCommandLine(words, kindOf);
  return nothingSeen(`it starts ${first}, which is not ${component}`);
}

function nothingSeen(unclear: string): CommandLine {
  return { flags: new Map(), unclear };
}

/** Is it `sh -c SCRIPT`? */
function isScript(words: readonly string[]): boolean {
  const shell = words.findIndex((word) => shells.has(baseName(word)));
  return (
    shell >= 0 &&
    words.some((word, at) => at > shell && /^-[a-z]+$/.test(word) && word.includes('c'))
  );
}

/**
 * Parses arguments as upstream does: `--flag=value`, `--flag value`, `--switch`, `_` for `-`.
 * @internal
 */
export function parseCommandLine(
  words: readonly string[],
  kindOf: (flag: string) => FlagKind,
): CommandLine {
  const flags = new Map<string, (string | null)[]>();
  let unclear: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') break;
    const match = /^--([^=\s$`]+)(?:=([\s\S]*))?$/.exec(word);
    if (!match) {
      unclear ??= loneDash(word);
      continue;
    }
    const [, written = '', given] = match;
    const flag = written.replaceAll('_', '-');
    const add = (value: string | null) => flags.set(flag, [...(flags.get(flag) ?? []), value]);
    if (given !== undefined) {
      add(given);
      continue;
    }
    const kind = kindOf(flag);
    const next = words[at + 1];
    // Upstream takes what follows for the value, whatever it looks like.
    if (kind === 'value' || (kind === undefined && next && !next.startsWith('-'))) {
      at += 1;
      add(next ?? null);
    } else add('true');
  }
  return { flags, unclear };
}

/** The program does not start with `-flag`; of its shorthands only -v and -h exist. */
function loneDash(word: string): string | undefined {
  const flag = /^-[a-z][\w-]*/i.exec(word)?.[0];
  if (flag === undefined || /^-(h$|v\d*$)/.test(flag)) return undefined;
  return `${flag} is no flag: flags have two dashes`;
}

/** The words after the program's own name; undefined when it is not among them. */
function argumentsOf(
  words: readonly string[],
  component: Component,
): readonly string[] | undefined {
  const at = words.findIndex((word) => !word.startsWith('-') && baseName(word) === component);
  return at < 0 ? undefined : words.slice(at + 1);
}

/** `kube-apiserver` of `/usr/bin/kube-apiserver`. */
function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

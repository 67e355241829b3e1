import { fieldsListOf, fieldsOf, type Json, textOrEmpty, textsOf } from '../../kube/json-value.ts';
import { type CommandLine, parseCommandLine } from './command-line.ts';
import type { Component } from './setting-definition.ts';
import type { ProgramFacts } from './settings-facts.ts';
import { flagKindOf } from './settings-table.ts';

const components: readonly Component[] = ['kube-controller-manager', 'kube-apiserver'];

/** The programs of the control plane that a pod runs: by its labels, its image or what it starts. */
export function controlPlaneProgramsIn(
  pod: Json,
  serverVersion: string | undefined,
): ProgramFacts[] {
  const { phase } = fieldsOf(pod.status);
  if (phase === 'Succeeded' || phase === 'Failed') return [];
  return components.flatMap((component) => {
    const container = containerOf(pod, component);
    return container ? [read(pod, container, component, serverVersion)] : [];
  });
}

function read(
  pod: Json,
  container: Json,
  component: Component,
  serverVersion: string | undefined,
): ProgramFacts {
  const { name, namespace } = fieldsOf(pod.metadata);
  const podName = textOrEmpty(name);
  return {
    component,
    instance: textOrEmpty(fieldsOf(pod.spec).nodeName) || podName,
    readFrom: `pod ${textOrEmpty(namespace) || 'kube-system'}/${podName}`,
    version: versionIn(textOrEmpty(container.image)) ?? serverVersion,
    commandLine: commandLineOf(container, component),
  };
}

function containerOf(pod: Json, component: Component): Json | undefined {
  const containers = fieldsListOf(fieldsOf(pod.spec).containers);
  const labels = fieldsOf(fieldsOf(pod.metadata).labels);
  const runs = (container: Json) =>
    container.name === component ||
    baseName(textOrEmpty(container.image)).replace(/[:@].*$/, '') === component ||
    [...textsOf(container.command), ...textsOf(container.args)].some((word) =>
      isStart(word, component),
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

const shells = new Set(['sh', 'bash', 'ash', 'dash', 'busybox']);

/** The flags of a component's container, in `command` or in `args`; a script for a shell is not read. */
function commandLineOf(container: Json, component: Component): CommandLine {
  const command = textsOf(container.command);
  const words = [...command, ...textsOf(container.args)];
  const kindOf = flagKindOf(component);
  const [first] = words;
  if (first === undefined) return unclear('the image decides how it is started');
  if (words.some((word) => shells.has(baseName(word)))) {
    return unclear('a shell starts it, and scripts are not read');
  }
  const start = words.findIndex((word) => isStart(word, component));
  if (start >= 0) return parseCommandLine(words.slice(start + 1), kindOf);
  // Without a command, arguments are for the program that the image starts.
  if (command.length === 0 && first.startsWith('--')) return parseCommandLine(words, kindOf);
  return unclear(`it starts ${first}, which is not ${component}`);
}

function unclear(why: string): CommandLine {
  return { flags: new Map(), unclear: why };
}

/** Is it the program's own name, behind which its arguments stand? */
function isStart(word: string, component: Component): boolean {
  return !word.startsWith('-') && baseName(word) === component;
}

/** `kube-apiserver` of `/usr/bin/kube-apiserver`. */
function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

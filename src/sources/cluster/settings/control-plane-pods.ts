import {
  type ContainerStart,
  containerCommandLine,
} from '../../../settings/effective/container-command.ts';
import type { Component } from '../../../settings/effective/setting-definition.ts';
import type { ProgramFacts } from '../../../settings/effective/settings-facts.ts';
import { type Fields, fieldsOf, listOf, textOf, textsOf } from '../../node/json-fields.ts';

const components: readonly Component[] = ['kube-controller-manager', 'kube-apiserver'];

/** A program of the control plane and the names that its host may go by. */
export interface ControlPlanePod {
  readonly program: ProgramFacts;
  readonly hosts: readonly string[];
}

/** The programs of the control plane that a pod runs: by its labels, its image or what it starts. */
export function controlPlanePodsIn(
  pod: Fields,
  serverVersion: string | undefined,
): ControlPlanePod[] {
  const { phase } = fieldsOf(pod.status);
  if (phase === 'Succeeded' || phase === 'Failed') return [];
  return components.flatMap((component) => {
    const container = containerOf(pod, component);
    return container ? [read(pod, container, component, serverVersion)] : [];
  });
}

function read(
  pod: Fields,
  container: Fields,
  component: Component,
  serverVersion: string | undefined,
): ControlPlanePod {
  const { name, namespace } = fieldsOf(pod.metadata);
  const { nodeName, hostname } = fieldsOf(pod.spec);
  const podName = textOf(name);
  const node = textOf(nodeName);
  return {
    program: {
      component,
      instance: node || podName,
      readFrom: `pod ${textOf(namespace) || 'kube-system'}/${podName}`,
      version: versionIn(textOf(container.image)) ?? serverVersion,
      commandLine: containerCommandLine(startOf(container), component),
    },
    hosts: [node, textOf(hostname), podName].filter((host) => host !== ''),
  };
}

function containerOf(pod: Fields, component: Component): Fields | undefined {
  const containers = listOf(fieldsOf(pod.spec).containers);
  const labels = fieldsOf(fieldsOf(pod.metadata).labels);
  const runs = (container: Fields) =>
    container.name === component ||
    baseName(textOf(container.image)).replace(/[:@].*$/, '') === component ||
    [...textsOf(container.command), ...textsOf(container.args)].some(
      (word) => !word.startsWith('-') && baseName(word) === component,
    );
  const found = containers.find(runs);
  if (found) return found;
  const isLabelled = [labels.component, labels['k8s-app'], labels.app].includes(component);
  return isLabelled ? containers[0] : undefined;
}

function startOf(container: Fields): ContainerStart {
  const env = listOf(container.env).map(
    ({ name, value, valueFrom }): [string, string | undefined] => [
      textOf(name),
      valueFrom === undefined ? textOf(value) : undefined,
    ],
  );
  return {
    command: textsOf(container.command),
    args: textsOf(container.args),
    env: new Map(env),
    hasEnvFrom: listOf(container.envFrom).length > 0,
  };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** `v1.36.3` of `registry.example.com/kube-apiserver:v1.36.3-1@sha256:…`. */
function versionIn(image: string): string | undefined {
  const version = /:v?(1\.\d+\.\d+)/.exec(image)?.[1];
  return version === undefined ? undefined : `v${version}`;
}

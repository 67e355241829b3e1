import {
  argumentsInScript,
  argumentsOf,
  type CommandLine,
  parseCommandLine,
  type Variables,
  type Word,
} from './command-line.ts';
import type { Component } from './setting-definition.ts';
import { flagKindOf } from './settings-table.ts';

/** The part of a container that tells how it is started; the rest of the pod is not read. */
export interface ContainerStart {
  readonly command: readonly string[];
  readonly args: readonly string[];
  /** Variables with a plain value; undefined for those whose value is kept elsewhere. */
  readonly env: ReadonlyMap<string, string | undefined>;
  /** Variables also come from ConfigMaps or Secrets. */
  readonly hasEnvFrom: boolean;
}

const shells = new Set(['sh', 'bash', 'ash', 'dash', 'busybox']);

/** The flags of a component's container: in `command`, in `args`, or in a script for a shell. */
export function containerCommandLine(start: ContainerStart, component: Component): CommandLine {
  const words = [...start.command, ...start.args].map((word) => withVariables(word, start));
  const kindOf = flagKindOf(component);
  const [first] = words;
  if (first === undefined) return nothingSeen('the image decides how it is started');
  const script = scriptIn(words);
  if (script !== undefined) {
    const found = argumentsInScript(script.text, component, variablesOf(start));
    if (found === undefined) return nothingSeen(`its script does not start ${component} by name`);
    const line = parseCommandLine(found, kindOf);
    return { ...line, unclear: line.unclear ?? script.unclear };
  }
  const found = argumentsOf(words, component);
  if (found) return parseCommandLine(found, kindOf);
  // Without a command, arguments are for the program that the image starts.
  const isBare = start.command.length === 0 && first.text.startsWith('--');
  if (isBare) return parseCommandLine(words, kindOf);
  return nothingSeen(`it starts ${first.text}, which is not ${component}`);
}

function nothingSeen(unclear: string): CommandLine {
  return { flags: new Map(), unclear };
}

/** What follows `sh -c`. */
function scriptIn(words: readonly Word[]): Word | undefined {
  const shell = words.findIndex(({ text }) => shells.has(text.slice(text.lastIndexOf('/') + 1)));
  if (shell < 0) return undefined;
  const flag = words.findIndex(({ text }, at) => at > shell && /^-[a-z]*c$/.test(text));
  return flag < 0 ? undefined : words[flag + 1];
}

function variablesOf({ env }: ContainerStart): Variables {
  const known = [...env].filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new Map(known);
}

/** `$(NAME)` as the kubelet puts it in; `$$(NAME)` stays. */
function withVariables(word: string, start: ContainerStart): Word {
  let unclear: string | undefined;
  const text = word.replace(/\$\$|\$\(([A-Za-z_.-][\w.-]*)\)/g, (written, name?: string) => {
    if (name === undefined) return '$';
    const value = start.env.get(name);
    if (value !== undefined) return value;
    if (start.env.has(name) || start.hasEnvFrom) {
      unclear = `${written} stands for a value that is kept outside of the pod`;
    }
    return written;
  });
  return { text, unclear };
}

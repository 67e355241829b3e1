import { diff } from 'node:util';
import type { ObjectPatch } from '../../audit/fixes.ts';
import { fieldsOf, type Json } from '../../kube/json-value.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import {
  addressOf,
  type CommandPlace,
  printedCommand,
  shellCommand,
} from '../../kube/shell-command.ts';
import { printable, printedPlace } from '../../output/printable.ts';
import { writeCommand, writeErr } from '../terminal/streams.ts';

/** What a fix does to one object. */
export interface Fix {
  readonly object: ObjectReference;
  /** In words, for the log. */
  readonly does: string;
  /** The object as it will be; undefined: it is deleted. */
  readonly after: (manifest: Json) => Json | undefined;
}

/** What a fix changes of an object: its references and finalizers, line by line. */
export async function fixDiff({ object, after }: Fix, manifest: Json): Promise<string[]> {
  const head = `${printedPlace(object)}:`;
  const changed = after(manifest);
  if (!changed) return [head, '- the whole object'];
  const { stringify } = await import('yaml');
  const linesOf = (one: Json) => {
    const parts = fixedParts(one);
    const isEmpty = Object.keys(parts).length === 0;
    return isEmpty ? [] : stringify(parts, { lineWidth: 0 }).trimEnd().split('\n');
  };
  const signs = { '-1': '+', '0': ' ', '1': '-' } as const;
  const lines = diff(linesOf(manifest), linesOf(changed)).map(
    ([operation, line]) => `${signs[operation]} ${printable(line)}`,
  );
  return [head, ...lines];
}

/** The parts of an object that fixes change, where it has them. */
function fixedParts({ metadata, spec }: Json): Json {
  const { ownerReferences, finalizers } = fieldsOf(metadata);
  const ofSpec = fieldsOf(spec).finalizers;
  const ofMetadata = {
    ...(isFilled(ownerReferences) && { ownerReferences }),
    ...(isFilled(finalizers) && { finalizers }),
  };
  return {
    ...(Object.keys(ofMetadata).length > 0 && { metadata: ofMetadata }),
    ...(isFilled(ofSpec) && { spec: { finalizers: ofSpec } }),
  };
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

/** Offline no patch can be sent, so it is printed as the kubectl command that would send it. */
export function printPatches(patches: readonly ObjectPatch[], place: CommandPlace): void {
  writeErr('To fix them (nothing was sent):');
  for (const { object, patch } of patches) {
    const text = JSON.stringify(patch);
    const command = shellCommand`kubectl patch ${addressOf(object)} --type=json -p ${text}`;
    writeCommand(`  ${printedCommand(command, place)}`);
  }
}

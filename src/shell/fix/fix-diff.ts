import { diff } from 'node:util';
import {
  addressOf,
  type CommandPlace,
  nowhere,
  type PrintedCommand,
  pipeline,
  printedCommand,
  shellCommand,
} from '../../command-line/shell-command.ts';
import { fieldsListOf, fieldsOf, type Json } from '../../kube/json-value.ts';
import { printable, printedPlace } from '../../output/printable.ts';
import { applyPatch } from '../../simulator/api-server/apply-patch.ts';
import type { FixRequest } from '../../why/fix-request.ts';

/** What a fix changes of an object: its references and finalizers, line by line. */
export async function fixDiff(step: FixRequest, manifest: Json): Promise<string[]> {
  const head = `${printedPlace(step.object)}:`;
  const changed = afterFix(step, manifest);
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

/** The object as it will be, or as it is where the API server would not take the patch; undefined: it is deleted. */
function afterFix({ method, body }: FixRequest, manifest: Json): Json | undefined {
  if (method === 'DELETE') return undefined;
  const patched = applyPatch(manifest, 'json', body);
  return 'object' in patched ? patched.object : manifest;
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

/** Offline no patch can be sent: the kubectl command that would send it. */
export function patchCommand({ object, body }: FixRequest, place: CommandPlace): PrintedCommand {
  const text = JSON.stringify(body);
  const command = shellCommand`kubectl patch ${addressOf(object)} --type=json -p ${text}`;
  return printedCommand(command, place);
}

/**
 * The same for a subresource that takes no patch. Whatever a PUT does not name is removed, so the whole object is read and
 * sent back; jq passes it on only where it is as the step tests it.
 */
export function putCommand(
  { object, path, body }: FixRequest,
  place: CommandPlace,
): PrintedCommand {
  const operations = fieldsListOf(body);
  const at = (one: Json) => `${one.path}`.replaceAll(/\/(\d+)/g, '[$1]').replaceAll('/', '.');
  const tests = operations.flatMap((one) =>
    one.op === 'test' ? `${at(one)} == ${JSON.stringify(one.value)}` : [],
  );
  const removed = operations.flatMap((one) => (one.op === 'remove' ? at(one) : []));
  const filter = `select(${tests.join(' and ')}) | del(${removed.join(', ')})`;
  const read = printedCommand(shellCommand`kubectl get ${addressOf(object)} -o json`, place);
  const change = printedCommand(shellCommand`jq ${filter}`, nowhere);
  const send = printedCommand(shellCommand`kubectl replace --raw ${path} -f -`, place);
  return pipeline(read, change, send);
}
